/** The expression behind an IP rule: it must match the whole address (contract 01 section 2.8). Throws a SyntaxError when malformed. */
export function compileIpRule(text: string): RegExp {
  return new RegExp(`^(?:${text})$`, 'u');
}

/** Whether a text can be an IP rule. */
export function isIpRule(text: string): boolean {
  try {
    compileIpRule(text);
    return true;
  } catch {
    return false;
  }
}
