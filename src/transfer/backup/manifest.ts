/*
 * A backup is a copy of the store's file, and behind it what it tells of itself:
 *
 *   copy of the store | manifest, one line of JSON | footer, one line of 32 bytes: WATCHWORD-BACKUP 001 0000000345
 *
 * The footer says the version of this format and the bytes of the manifest. What is cut off anywhere has no footer.
 */

/** The version of this format. */
export const FORMAT = 1;
const FOOTER = /^WATCHWORD-BACKUP ([0-9]{3}) ([0-9]{10})\n$/;
/** Bytes of the footer. */
export const FOOTER_BYTES = 32;
/** More than manifest and footer take. */
export const MOST_TAIL_BYTES = 16 * 1024;

/** What a backup tells of itself. */
export interface Manifest {
  /** Version of the program that made it. */
  readonly product: string;
  /** Version of the store's layout. */
  readonly layout: number;
  /** ISO 8601, UTC: the copy shows the store as it was within the second before. */
  readonly created: string;
  /** Of the copy alone. */
  readonly bytes: number;
  /** Records and index entries, and what the store keeps for itself. */
  readonly entries: number;
  /** Of the copy alone, in hexadecimal digits. */
  readonly sha256: string;
}

/** A file that is no backup, or none that can be used; the message is a sentence about it, without its name. */
export class NoBackup extends Error {
  override readonly name = 'NoBackup';
}

/** What stands behind the copy. */
export function tailOf(manifest: Manifest): Buffer {
  const line = Buffer.from(`${JSON.stringify(manifest)}\n`);
  const footer = `WATCHWORD-BACKUP ${String(FORMAT).padStart(3, '0')} ${String(line.length).padStart(10, '0')}\n`;
  return Buffer.concat([line, Buffer.from(footer)]);
}

/** A tail as it was read. */
export interface Tail {
  readonly manifest: Manifest;
  /** Bytes of manifest and footer. */
  readonly bytes: number;
}

/**
 * Reads what stands at the end of a backup; undefined where nothing does.
 * @param end the last bytes of the file, `MOST_TAIL_BYTES` if it has so many
 * @throws NoBackup where it was made by a newer version, or is damaged
 */
export function readTail(end: Buffer): Tail | undefined {
  const footer = FOOTER.exec(end.subarray(-FOOTER_BYTES).toString('latin1'));
  if (!footer) return undefined;
  const format = Number(footer[1]);
  if (format > FORMAT) throw new NoBackup(`it was made by a newer version (format ${format}, this version knows ${FORMAT})`);
  const bytes = Number(footer[2]) + FOOTER_BYTES;
  const manifest = bytes > end.length ? undefined : parseManifest(end.subarray(-bytes, -FOOTER_BYTES).toString());
  if (!manifest) throw new NoBackup('it is damaged: its manifest cannot be read');
  return { manifest, bytes };
}

function parseManifest(text: string): Manifest | undefined {
  try {
    const found: unknown = JSON.parse(text);
    return isManifest(found) ? found : undefined;
  } catch {
    return undefined;
  }
}

const FIELDS = { product: 'string', layout: 'number', created: 'string', bytes: 'number', entries: 'number', sha256: 'string' } as const;

function isManifest(found: unknown): found is Manifest {
  if (typeof found !== 'object' || found === null) return false;
  const fields = new Map(Object.entries(found));
  return Object.entries(FIELDS).every(([name, type]) => typeof fields.get(name) === type);
}
