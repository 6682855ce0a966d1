/** The name of a header (RFC 9110 section 5.1). */
export const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;
