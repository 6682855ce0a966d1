import type { AnyCollection, Collection } from '../../store/collection.ts';
import type { Row } from '../../store/foreign-database.ts';
import type { Loss, Noted, Tally } from './records.ts';
import { type Piece, unitsOf } from './read-pieces.ts';
import type { LeftBehind, LossText, Places, TableGroup, Unit } from './table-group.ts';

/** A record that is made of a unit. */
export interface Made {
  readonly collection: AnyCollection;
  readonly record: unknown;
  readonly unit: ConvertedUnit;
}

/** What the rows of a piece become. */
export class ConvertedPiece {
  readonly piece: number;
  readonly #units: readonly ConvertedUnit[];

  constructor(piece: number, units: readonly ConvertedUnit[]) {
    this.piece = piece;
    this.#units = units;
  }

  get made(): readonly Made[] {
    return this.#units.flatMap((unit) => unit.made);
  }

  get losses(): readonly Loss[] {
    return this.#units.flatMap((unit) => unit.losses);
  }

  get noted(): readonly Noted[] {
    return this.#units.flatMap((unit) => unit.noted());
  }

  /** The rows of a table of which records were made. */
  movedRows(table: string): readonly Row[] {
    return this.#units.flatMap((unit) => (unit.made.length === 0 ? [] : unit.rows(table).filter((row) => unit.outcomeOf(row) === 'moved')));
  }

  /** Its rows by what became of them. */
  get tallies(): readonly Tally[] {
    const tallies = new Map<string, [string, string, string, string, number]>();
    for (const unit of this.#units)
      for (const [table, row] of unit.all()) {
        const [app, tenant, outcome] = [String(row['app_id'] ?? ''), String(row['tenant_id'] ?? ''), unit.outcomeOf(row)];
        const name = `${table}\n${app}\n${tenant}\n${outcome}`;
        const tally = tallies.get(name);
        if (tally) tally[4] += 1;
        else tallies.set(name, [table, app, tenant, outcome, 1]);
      }
    return [...tallies.values()];
  }
}

/** What the old core keeps twice: the other row is moved. */
const KEPT_TWICE: ReadonlySet<string> = new Set<LeftBehind>(['not read in this mode']);

/** A character that stands for bytes that are no text. */
const REPLACEMENT = '\ufffd';
const RAW: LossText = {
  reason: 'a text of it is no UTF-8',
  remedy: 'write what was meant into the old database as UTF-8, with client_encoding UTF8',
};

/** Makes the records of a piece. @param isRaw the database does not know what its bytes mean */
export function convertPiece(group: TableGroup, piece: Piece, places: Places, isRaw: boolean): ConvertedPiece {
  const units: ConvertedUnit[] = [];
  for (const [, tables] of unitsOf(piece, group.parts)) {
    const unit = new ConvertedUnit(group, tables, places);
    units.push(unit);
    // Nobody can say what it meant.
    if (isRaw && unit.all().some(([, row]) => hasRawText(row))) unit.loseAll(RAW);
    else group.convert(unit);
  }
  return new ConvertedPiece(piece.piece, units);
}

const hasRawText = (row: Row): boolean => Object.values(row).some((value) => typeof value === 'string' && value.includes(REPLACEMENT));

type Tables = ReadonlyMap<string, readonly Row[]>;

/** A unit with what becomes of each of its rows. */
export class ConvertedUnit implements Unit {
  readonly places: Places;
  readonly losses: Loss[] = [];
  made: Made[] = [];
  readonly #group: TableGroup;
  readonly #tables: Tables;
  readonly #outcomes = new Map<Row, string>();
  readonly #notes: Noted[] = [];
  #all: readonly (readonly [table: string, row: Row])[] | undefined;

  constructor(group: TableGroup, tables: Tables, places: Places) {
    this.#group = group;
    this.#tables = tables;
    this.places = places;
  }

  rows(table: string): readonly Row[] {
    return this.#tables.get(table) ?? [];
  }

  all(): readonly (readonly [table: string, row: Row])[] {
    this.#all ??= [...this.#tables].flatMap(([table, rows]) => rows.map((row) => [table, row] as const));
    return this.#all;
  }

  /** Whether its app is at home in another database, whose rows count more. */
  get isGuest(): boolean {
    const [first] = this.all();
    return first !== undefined && this.places.app(String(first[1]['app_id']))?.isHome === false;
  }

  outcomeOf(row: Row): string {
    return this.#outcomes.get(row) ?? 'moved';
  }

  make<R>(collection: Collection<R>, record: NoInfer<R>): void {
    this.made.push({ collection, record, unit: this });
  }

  leave(row: Row, why: LeftBehind): void {
    this.#outcomes.set(row, why);
  }

  leaveAll(why: LeftBehind): void {
    this.made = [];
    this.#notes.length = 0;
    for (const [, row] of this.all()) this.#outcomes.set(row, why);
  }

  note(table: string, row: Row, text: string): void {
    this.#notes.push(this.#named(table, row, text));
  }

  /** Rows that are left behind, and what was said of others. */
  noted(): readonly Noted[] {
    const left = this.all().filter(([, row]) => {
      const outcome = this.outcomeOf(row);
      return outcome !== 'moved' && outcome !== 'lost' && !KEPT_TWICE.has(outcome);
    });
    return [...left.map(([table, row]) => this.#named(table, row, this.outcomeOf(row))), ...this.#notes];
  }

  lose(table: string, row: Row, { reason, remedy }: LossText): void {
    this.#outcomes.set(row, 'lost');
    const [, app, tenant, id] = this.#named(table, row, reason);
    this.losses.push({ table, app, tenant, id, reason, remedy });
  }

  #named(table: string, row: Row, text: string): Noted {
    const part = this.#group.parts.find((each) => each.table === table);
    const columns = part?.names ?? part?.unit.filter((column) => column !== 'app_id' && column !== 'tenant_id') ?? [];
    const id = columns.map((column) => String(row[column])).join(' ');
    return [table, String(row['app_id'] ?? ''), String(row['tenant_id'] ?? ''), id, text];
  }

  /** None of it is moved: half of a thing would be worse than nothing. */
  loseAll(text: LossText): void {
    this.made = [];
    this.#notes.length = 0;
    const [first] = this.all();
    for (const [, row] of this.all()) this.#outcomes.set(row, 'lost');
    if (first) this.lose(...first, text);
  }
}
