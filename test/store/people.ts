import { type Collection, defineCollection } from '../../src/store/collection.ts';

/** A record with an index of every kind. */
export interface Person {
  readonly app: number;
  readonly id: string;
  readonly email: string | null;
  readonly age: number;
  readonly tags: readonly string[];
}

export const people: Collection<Person> = defineCollection({
  id: 900,
  name: 'people',
  scope: 'core',
  format: 1,
  fields: { app: 1, id: 2, email: 3, age: 4, tags: 5 },
  key: (person: Person) => [person.app, person.id],
  indexes: {
    email: { id: 1, unique: true, keys: (person) => (person.email === null ? [] : [[person.app, person.email]]) },
    byAge: { id: 2, keys: (person) => [[person.app, person.age]] },
    byTag: { id: 3, keys: (person) => person.tags.map((tag) => [person.app, tag]) },
  },
});

export interface Counter {
  readonly name: string;
  readonly value: number;
}

export const counters: Collection<Counter> = defineCollection({
  id: 901,
  name: 'counters',
  scope: 'core',
  format: 1,
  fields: { name: 1, value: 2 },
  key: (counter: Counter) => [counter.name],
});

/** A person with the given id and whatever else matters to the test. */
export function person(id: string, rest: Partial<Person> = {}): Person {
  return { app: 1, id, email: null, age: 0, tags: [], ...rest };
}
