export function checkNative(folder?: string): void;
