// Makes src/generated from schemas/: validators compiled by Ajv, the plan by which src/http/input.ts reads each input, TypeScript types, and the
// schemas and the list of endpoints as data for openapi.json. Deterministic; does nothing when neither the schemas nor this file changed.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const ROOT = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
/** Where schemas are read and what is made of them goes; tests name other folders. */
const FOLDERS = { schemas: path.join(ROOT, 'schemas'), target: path.join(ROOT, 'src', 'generated') };
const STAMP = 'stamp.txt';
const BANNER = '// Made by scripts/generate.mjs from schemas/; changes here are lost.\n';
const OUTPUTS = ['commands.ts', 'inputs.ts', 'schemas.ts', 'components.ts', 'endpoints.ts'];
/** Not endpoints: the shared field types, the list of endpoints, and examples of them. */
const NOT_ENDPOINTS = new Set(['cdi', 'endpoints', 'examples']);
const SOURCES = ['body', 'query', 'body-or-query', 'form'];
const OWN_KEYWORDS = [
  'x-in',
  'x-coerce',
  'x-kind',
  'x-trait',
  'x-required-trait',
  'x-required-unless-empty',
  'x-limit',
  'x-stage',
  'x-errors',
  'tsType',
];

/** Every schema file by name (`session/verify-session`), in alphabetical order. */
function schemaFiles(folder) {
  return readdirSync(folder, { recursive: true })
    .map((file) => file.split(path.sep).join('/'))
    .filter((file) => file.endsWith('.json'))
    .toSorted()
    .map((file) => ({ name: file.slice(0, -'.json'.length), file: path.join(folder, file) }));
}

function fingerprint(files) {
  const hash = createHash('sha256');
  for (const file of [fileURLToPath(import.meta.url), ...files.map((entry) => entry.file)]) {
    hash.update(path.relative(ROOT, file)).update('\0').update(readFileSync(file)).update('\0');
  }
  return hash.digest('hex');
}

function isUpToDate(print, target) {
  const stamp = path.join(target, STAMP);
  return OUTPUTS.every((name) => existsSync(path.join(target, name))) && existsSync(stamp) && readFileSync(stamp, 'utf8') === print;
}

function parseSchema({ name, file }) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new Error(`schemas/${name}.json: ${error.message}`, { cause: error });
  }
}

/** Finds the definition a `$ref` points to: in this file (`#/$defs/x`), in another (`../cdi.json#/$defs/x`), or a whole file. */
function lookUp(reference, from, documents) {
  const [file, pointer = ''] = reference.split('#');
  const named = file.replace(/\.json$/, '');
  const name =
    file === ''
      ? from
      : [path.posix.join(path.posix.dirname(from), named), named.replace(/^schemas\//, '')].find((candidate) => documents.has(candidate));
  let found = documents.get(name);
  for (const step of pointer.split('/').filter(Boolean)) found = found?.[step];
  if (found === undefined) throw new Error(`schemas/${from}.json: nothing at $ref ${reference}`);
  return { found, name };
}

/**
 * Puts every definition in the place of its `$ref`; what stands beside the `$ref` wins over the definition.
 * @param keep answers another `$ref` for definitions that stay where they are
 */
function resolveRefs(schema, from, documents, keep = () => undefined, trail = []) {
  if (Array.isArray(schema)) return schema.map((item) => resolveRefs(item, from, documents, keep, trail));
  if (schema === null || typeof schema !== 'object') return schema;
  const { $ref: reference, ...rest } = schema;
  const own = Object.fromEntries(
    Object.entries(rest)
      .filter(([key]) => key !== '$defs' && key !== '$schema' && key !== '$id' && key !== '$comment')
      .map(([key, value]) => [
        key,
        key === 'enum' || key === 'const' || key === 'x-errors' ? value : resolveRefs(value, from, documents, keep, trail),
      ]),
  );
  if (typeof reference !== 'string') return own;
  const { found, name } = lookUp(reference, from, documents);
  const kept = keep(name, reference);
  if (kept !== undefined) return { $ref: kept, ...own };
  const step = `${name}|${reference}`;
  if (trail.includes(step)) throw new Error(`schemas/${from}.json: $ref ${reference} refers to itself`);
  const definition = resolveRefs(found, name, documents, keep, [...trail, step]);
  const errors = { ...definition['x-errors'], ...own['x-errors'] };
  return { ...definition, ...own, ...(Object.keys(errors).length > 0 && { 'x-errors': errors }) };
}

/** What `src/http/input.ts` needs to know of one input, in the order in which faults are reported. */
function planOf(name, schema, { traits, limits }) {
  if (!SOURCES.includes(schema['x-in'])) throw new Error(`schemas/${name}.json: "x-in" must be one of "${SOURCES.join('", "')}"`);
  const required = new Set(schema.required ?? []);
  for (const field of required) {
    if (!Object.hasOwn(schema.properties ?? {}, field)) throw new Error(`schemas/${name}.json: required field "${field}" has no property`);
  }
  const fields = Object.entries(schema.properties ?? {}).map(([field, property]) => {
    for (const trait of [property['x-trait'], property['x-required-trait']]) {
      if (trait !== undefined && !traits.has(trait)) throw new Error(`schemas/${name}.json: "${field}": there is no trait "${trait}"`);
    }
    const limit = property['x-limit'];
    if (limit !== undefined && !limits.has(limit)) throw new Error(`schemas/${name}.json: "${field}": there is no limit "${limit}"`);
    if (!['late', undefined].includes(property['x-stage']))
      throw new Error(`schemas/${name}.json: "${field}": "x-stage" can only be "late"`);
    return {
      name: field,
      ...(property['x-coerce'] && { coerce: property['x-coerce'] }),
      ...(property['x-kind'] && { kind: property['x-kind'] }),
      ...(limit && { limit }),
      ...(property['x-trait'] && { trait: property['x-trait'] }),
      required: requirementOf(field, property, required),
      ...(property['x-stage'] === 'late' && { late: true }),
      ...(property['x-errors'] && { errors: property['x-errors'] }),
    };
  });
  const freeForm = fields.some(({ coerce }) => coerce?.startsWith('free-form'));
  return { in: schema['x-in'], freeForm, fields, ...(schema['x-errors'] && { errors: schema['x-errors'] }) };
}

/** When a field must be there: `true`, `false`, `unless-empty` or the name of a trait. */
function requirementOf(field, property, required) {
  if (property['x-required-unless-empty']) return 'unless-empty';
  return property['x-required-trait'] ?? (required.has(field) ? (property['x-trait'] ?? true) : false);
}

/** The schema Ajv compiles: the reader itself looks for missing fields, since whether one is required may depend on the version. */
function validatedPart(schema) {
  const { required: _, ...rest } = schema;
  return { type: 'object', ...rest };
}

async function compileValidators(inputs, responses, known) {
  const [{ default: Ajv }, { default: standaloneCode }, esbuild] = await Promise.all([
    import('ajv/dist/2020.js'),
    import('ajv/dist/standalone/index.js'),
    import('esbuild'),
  ]);
  const ajv = new (Ajv.default ?? Ajv)({ allErrors: true, messages: false, strictTypes: false, code: { source: true, esm: true } });
  ajv.addVocabulary(OWN_KEYWORDS);
  for (const { name, schema } of responses) {
    if (!ajv.validateSchema(schema)) throw new Error(`schemas/${name}.json: not a JSON Schema: ${JSON.stringify(ajv.errors?.[0])}`);
  }
  const names = {};
  const rows = inputs.map(({ name, schema }, position) => {
    try {
      ajv.addSchema(validatedPart(schema), `input${position}`);
      ajv.getSchema(`input${position}`);
    } catch (error) {
      throw new Error(`schemas/${name}.json: ${error.message}`, { cause: error });
    }
    names[`inputValidator${position}`] = `input${position}`;
    return `  ${JSON.stringify(name)}: { ...${JSON.stringify(planOf(name, schema, known))}, validate: inputValidator${position} },\n`;
  });
  const source = rows.length === 0 ? '' : (standaloneCode.default ?? standaloneCode)(ajv, names);
  const bundled = await esbuild.build({
    stdin: { contents: source, resolveDir: ROOT, loader: 'js' },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    target: 'es2023',
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: 'none',
    logLevel: 'silent',
  });
  // The bundle exports the validators at its end; the rows below use them, so the export list goes away.
  const code = bundled.outputFiles[0].text.replace(/export\s*\{([^}]*)\};?\s*$/, (_, list) => {
    const aliases = list.split(',').map((item) => item.trim().split(/\s+as\s+/));
    return aliases.flatMap(([local, exported]) => (exported && exported !== local ? [`const ${exported}=${local};`] : [])).join('');
  });
  return (
    `// @ts-nocheck\n${BANNER}import type { InputPlan } from '../http/input-plan.ts';\nimport type { Commands } from './commands.ts';\n\n${code}\n` +
    `/** How each input is read and checked, by schema name. */\nexport const INPUTS: { readonly [N in keyof Commands]: InputPlan } = {\n${rows.join('')}};\n`
  );
}

/** The same schema with closed objects, and `undefined` allowed wherever a member may be absent. */
function typedPart(schema) {
  if (Array.isArray(schema)) return schema.map(typedPart);
  if (schema === null || typeof schema !== 'object') return schema;
  const copy = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, key === 'properties' ? value : typedPart(value)]));
  if (schema.tsType !== undefined || schema.properties === undefined) return copy;
  const required = (schema.required ?? []).filter((field) => {
    const property = schema.properties[field];
    return property?.['x-trait'] === undefined && property?.['x-required-trait'] === undefined;
  });
  const properties = Object.entries(schema.properties).map(([field, property]) => {
    const typed = typedPart(property);
    return [field, required.includes(field) ? typed : { description: property.description, anyOf: [typed, { tsType: 'undefined' }] }];
  });
  return { ...copy, properties: Object.fromEntries(properties), required, additionalProperties: schema.additionalProperties ?? false };
}

async function typesOf(inputs, responses) {
  const { compile } = await import('json-schema-to-typescript');
  const all = {
    title: 'Commands',
    description: 'The normalised input of every endpoint, by the name of its schema.',
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(
      inputs.map(({ name, schema }) => [name, { ...typedPart({ properties: {}, ...schema }), title: undefined }]),
    ),
    required: inputs.map(({ name }) => name),
  };
  const text = await compile(all, 'Commands', { bannerComment: '', format: false, declareExternallyReferenced: true });
  const names = responses.map(({ name }) => JSON.stringify(name.slice(0, -'.response'.length)));
  const answers = `/** The names of the schemas of answers. */\nexport type AnswerName = ${names.join(' | ') || 'never'};\n`;
  return `${BANNER}import type { JsonText } from '../json/free-form.ts';\n\nexport type { JsonText };\n\n${text}\n${answers}`;
}

/** The files that define the names that schemas may use. */
const TRAITS_FILE = path.join(ROOT, 'src', 'cdi', 'traits.ts');
const LIMITS_FILE = path.join(ROOT, 'src', 'config', 'limits.ts');

/** The names of the boolean traits and of the limits. */
function knownNames() {
  const namesIn = (file, pattern) => new Set([...readFileSync(file, 'utf8').matchAll(pattern)].map((match) => match[1]));
  return { traits: namesIn(TRAITS_FILE, /^ {2}readonly (\w+): boolean;/gm), limits: namesIn(LIMITS_FILE, /^ {2}(\w+):/gm) };
}

/** `email-password/sign-up` becomes `EmailPasswordSignUp`. */
const pascal = (text) => text.replace(/(?:^|[/.-])([a-z])/g, (_, letter) => letter.toUpperCase());

/** The name of a schema among the components of openapi.json. */
function componentName(name) {
  return name.endsWith('.response') ? `${pascal(name.slice(0, -'.response'.length))}Answer` : `${pascal(name)}Input`;
}

/** The same for a definition that several schemas share: its recipe, its file where the definition does not say it, itself. */
function sharedName(name, definition) {
  const [recipe, file] = name.replace(/\.shared$/, '').split('/');
  const isSaid = definition.toLowerCase().includes(file.toLowerCase());
  return `${pascal(recipe)}${isSaid ? '' : pascal(file)}${pascal(definition)}`;
}

const SHARED_REFERENCE = /#\/\$defs\/(\w+)$/;

/** Every schema by its name among the components; what several share is referred to instead of repeated. */
function componentsText(names, documents) {
  const shared = [...documents].filter(([name]) => name.endsWith('.shared'));
  const keep = (name, reference) =>
    name.endsWith('.shared') ? `#/components/schemas/${sharedName(name, SHARED_REFERENCE.exec(reference)?.[1] ?? '')}` : undefined;
  const resolved = (schema, name) => resolveRefs(schema, name, documents, keep);
  const components = [
    ...names.map((name) => [componentName(name), resolved(documents.get(name), name)]),
    ...shared.flatMap(([name, { $defs }]) =>
      Object.entries($defs).map(([definition, schema]) => [sharedName(name, definition), resolved(schema, name)]),
    ),
  ];
  const byName = Object.fromEntries(components);
  if (Object.keys(byName).length < components.length) throw new Error('two schemas have one name among the components of openapi.json');
  const nameOf = Object.fromEntries(names.map((name) => [name, componentName(name)]));
  return (
    `${BANNER}/** Every schema by its name in openapi.json; those that several share are referred to. */\n${parsedAs('COMPONENTS', 'Readonly<Record<string, unknown>>', byName)}\n` +
    `/** What a schema is called in openapi.json. */\nexport const COMPONENT_NAMES: Readonly<Record<string, string>> = ${JSON.stringify(nameOf, null, 2)};\n`
  );
}

/** A constant that is parsed when the module is loaded, which is quicker than reading it as program text. */
function parsedAs(name, type, value) {
  return `export const ${name}: Readonly<Record<string, ${type}>> = JSON.parse(\n  ${JSON.stringify(JSON.stringify(value))},\n);\n`;
}

/** What the list of endpoints says of each, by method, path and, where several recipes share these, `rid`. */
function endpointsText(endpoints) {
  const facts = endpoints.flatMap(({ methods, path, rid, recipe, since, aliasOf }) =>
    methods.map((method) => [rid === undefined ? `${method} ${path}` : `${method} ${path} ${rid}`, { recipe, since, aliasOf }]),
  );
  return (
    `${BANNER}/** What schemas/endpoints.json says of an endpoint. */\nexport interface EndpointFacts {\n  readonly recipe: string;\n` +
    '  /** The CDI version that introduced it; none for endpoints of ours. */\n  readonly since?: string;\n' +
    '  /** The endpoint that this one repeats under another name. */\n  readonly aliasOf?: string;\n}\n\n' +
    '/** By method, path and, where several recipes share these, `rid`. */\n' +
    `export const ENDPOINTS: Readonly<Record<string, EndpointFacts>> = ${JSON.stringify(Object.fromEntries(facts), null, 2)};\n`
  );
}

function write(target, name, text) {
  const file = path.join(target, name);
  const temporary = `${file}.${process.pid}`;
  writeFileSync(temporary, text);
  renameSync(temporary, file);
}

/** Generates what is out of date; throws an error that names the broken schema file. */
export async function generate({ schemas: folder, target } = FOLDERS) {
  const files = schemaFiles(folder);
  const print = fingerprint([...files, { file: TRAITS_FILE }, { file: LIMITS_FILE }]);
  if (isUpToDate(print, target)) return false;
  const documents = new Map(files.map((entry) => [entry.name, parseSchema(entry)]));
  const schemas = files
    .filter(({ name }) => !NOT_ENDPOINTS.has(name) && !name.endsWith('.shared'))
    .map(({ name }) => ({ name, schema: resolveRefs(documents.get(name), name, documents) }));
  const inputs = schemas.filter(({ name }) => !name.endsWith('.response'));
  const responses = schemas.filter(({ name }) => name.endsWith('.response'));
  const [code, types] = await Promise.all([compileValidators(inputs, responses, knownNames()), typesOf(inputs, responses)]);
  mkdirSync(target, { recursive: true });
  rmSync(path.join(target, STAMP), { force: true });
  write(target, 'inputs.ts', code);
  write(target, 'commands.ts', types);
  const resolved = Object.fromEntries(schemas.map(({ name, schema }) => [name, schema]));
  const data = parsedAs('SCHEMAS', 'Readonly<Record<string, unknown>>', resolved);
  write(target, 'schemas.ts', `${BANNER}/** Every schema with its references resolved, by name. */\n${data}`);
  const names = schemas.map(({ name }) => name);
  write(target, 'components.ts', componentsText(names, documents));
  write(target, 'endpoints.ts', endpointsText(documents.get('endpoints') ?? []));
  write(target, STAMP, print);
  return true;
}

if (process.argv[1] && pathToFileURL(process.argv[1]).href === import.meta.url) {
  try {
    await generate();
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}
