export const SOURCES: readonly string[];
export const SINGLE_FILES: readonly string[];
