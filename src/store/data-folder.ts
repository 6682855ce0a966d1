import { accessSync, closeSync, constants, existsSync, mkdirSync, openSync, readSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const DATABASE = 'data.mdb';
const LOCKS = 'lock.mdb';
/** Where an LMDB file (64 bit) says what it is, and the version of its pages that lmdb-js writes. */
const MAGIC_AT = 24;
const MAGIC = 0xbeefc0de;
const VERSION = 2;
/** What a new database takes before anything is in it. */
const ROOM_BYTES = 256 * 1024;

function checkHeader(file: string): void {
  const header = Buffer.alloc(MAGIC_AT + 8);
  const descriptor = openSync(file, 'r');
  const length = readSync(descriptor, header);
  closeSync(descriptor);
  // An empty file is a database that another process is about to write.
  if (length === 0) return;
  const known = header.readUInt32LE(MAGIC_AT) === MAGIC && header.readUInt16LE(MAGIC_AT + 4) === VERSION;
  if (!known) throw new Error(`${DATABASE} is not a database of this version`);
}

function checkRoom(path: string): void {
  const probe = join(path, `room-${process.pid}.probe`);
  try {
    writeFileSync(probe, Buffer.alloc(ROOM_BYTES, 1));
  } finally {
    rmSync(probe, { force: true });
  }
}

/** Node's own way of making a folder with those above it never ends where none can be made although the one above is there, as in /proc. */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  if (dirname(path) !== path) makeFolder(dirname(path));
  try {
    mkdirSync(path);
  } catch (error) {
    // Another process may have made it meanwhile.
    if (!existsSync(path)) throw error;
  }
}

/**
 * Makes the folder when it is missing and throws when a database cannot be opened in it. Looks at everything beforehand,
 * because lmdb-js 3.5 ends the process (a double free) where opening fails after the files were touched.
 */
export function prepareDataFolder(path: string): void {
  makeFolder(path);
  accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
  const files = [DATABASE, LOCKS].map((name) => join(path, name));
  const present = files.filter((file) => existsSync(file));
  for (const file of present) accessSync(file, constants.R_OK | constants.W_OK);
  if (existsSync(join(path, DATABASE))) checkHeader(join(path, DATABASE));
  if (present.length < files.length) checkRoom(path);
}
