/**
 * A signed document with one byte changed: copies of it, each with the last letter of another text replaced.
 * @param posted base64
 * @param texts contents of elements that stand in it once at least, before escaping
 * @throws where a text does not stand in it
 */
export function alteredDocuments(posted: string, texts: readonly string[]): readonly string[] {
  const document = Buffer.from(posted, 'base64');
  return texts.map((text) => {
    const content = `>${text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}`;
    const start = document.indexOf(content);
    const length = Buffer.byteLength(content);
    if (start < 0) throw new Error(`${text} is not in the document`);
    const altered = Buffer.from(document);
    const last = start + length - 1;
    altered[last] = document[last] === 0x61 ? 0x62 : 0x61;
    return altered.toString('base64');
  });
}
