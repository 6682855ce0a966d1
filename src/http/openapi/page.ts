import { referredName, schemaHtml } from './page-schema.ts';
import { escaped, paragraphs, sample, sentence } from './page-text.ts';
import { asJson, type Json } from './schemas.ts';

/** An operation with where it stands. */
interface Entry {
  readonly method: string;
  readonly path: string;
  readonly operation: Json;
}

/** The document as one page that needs nothing but the style sheet beside it; a script there adds a filter. */
export function referencePage(document: Json): string {
  const { title, version, description, 'x-cdi-version': cdi } = asJson(document['info']);
  const entries = entriesOf(asJson(document['paths']));
  const tags = listOf(document['tags']).map((tag) => ({ tag, entries: entries.filter((entry) => isOf(entry, tag)) }));
  const sections = tags.map(({ tag, entries: ours }) => sectionOf(tag, ours, document)).join('\n');
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${escaped(title)} API ${escaped(version)}</title>`,
    '<link rel="icon" href="data:,">',
    '<link rel="stylesheet" href="docs/reference.css">',
    '<script src="docs/reference.js" defer></script>',
    '</head>',
    '<body>',
    `<nav aria-label="Operations">${tags.map(({ tag, entries: ours }) => contentsOf(tag, ours)).join('\n')}</nav>`,
    '<main>',
    `<h1>${escaped(title)} API</h1>`,
    `<p class="versions">Version ${escaped(version)}, CDI ${escaped(cdi)}. <a href="openapi.json">openapi.json</a></p>`,
    paragraphs(description),
    sections,
    refusalsOf(asJson(asJson(document['components'])['responses'])),
    schemasOf(asJson(asJson(document['components'])['schemas']), sections),
    '</main>',
    '</body>',
    '</html>',
    '',
  ].join('\n');
}

const METHODS = new Set(['get', 'post', 'put', 'delete']);

function entriesOf(paths: Json): readonly Entry[] {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(asJson(operations))
      .filter(([method]) => METHODS.has(method))
      .map(([method, operation]) => ({ method, path, operation: asJson(operation) })),
  );
}

const listOf = (value: unknown): readonly Json[] => (Array.isArray(value) ? value.map(asJson) : []);

/** An operation of several recipes stands with the first of them. */
const isOf = ({ operation: { tags } }: Entry, { name }: Json): boolean => Array.isArray(tags) && tags[0] === name;

const methodHtml = (method: string): string => `<span class="method ${method}">${method.toUpperCase()}</span>`;

function contentsOf({ name, 'x-displayName': title }: Json, entries: readonly Entry[]): string {
  const links = entries.map(
    ({ method, path, operation: { operationId, summary } }) =>
      `<li><a href="#${escaped(operationId)}" title="${escaped(summary)}">${methodHtml(method)} ${escaped(path)}</a></li>`,
  );
  return `<details><summary><a href="#tag-${escaped(name)}">${escaped(title)}</a></summary><ul>${links.join('')}</ul></details>`;
}

function sectionOf({ name, description, 'x-displayName': title }: Json, entries: readonly Entry[], document: Json): string {
  const heading = `<h2>${escaped(title)}</h2>\n${paragraphs(description)}`;
  return `<section id="tag-${escaped(name)}">${heading}\n${entries.map((entry) => operationHtml(entry, document)).join('\n')}</section>`;
}

function operationHtml({ method, path, operation }: Entry, document: Json): string {
  const { operationId, summary, description, deprecated, parameters, requestBody, responses } = operation;
  const heading = `<h3>${methodHtml(method)} <code>${escaped(path)}</code></h3>`;
  return [
    `<article class="operation" id="${escaped(operationId)}">`,
    heading,
    `<p class="summary">${sentence(summary)}${deprecated === true ? ' <em class="deprecated">deprecated</em>' : ''}</p>`,
    paragraphs(description),
    parametersHtml(listOf(parameters)),
    ...(requestBody === undefined ? [] : ['<h4>Body</h4>', contentHtml(asJson(asJson(requestBody)['content']), document)]),
    '<h4>Answers</h4>',
    answersHtml(asJson(responses), document),
    '</article>',
  ].join('\n');
}

/** Those of an operation alone: what all take is said at the top. */
function parametersHtml(parameters: readonly Json[]): string {
  const own = parameters.filter(({ name }) => name !== undefined);
  if (own.length === 0) return '';
  const rows = own.map(({ name, in: place, required, description, schema, example }) => {
    const mark = required === true ? ' <em class="required">required</em>' : '';
    const shown = example === undefined ? '' : ` For example <code>${escaped(example)}</code>.`;
    const text = description === undefined ? '' : ` ${sentence(description)}`;
    return `<li><code class="name">${escaped(name)}</code> <small>${escaped(place)}</small>${mark} ${schemaHtml(schema)}${text}${shown}</li>`;
  });
  return `<h4>Parameters</h4>\n<ul class="fields">${rows.join('')}</ul>`;
}

/** A body by media type, with its schema and its examples. */
function contentHtml(content: Json, document: Json): string {
  return Object.entries(content)
    .map(([mediaType, part]) => {
      const { schema, example, examples } = asJson(part);
      const samples = [...(example === undefined ? [] : [example]), ...Object.values(asJson(examples)).map((one) => asJson(one)['value'])];
      return `<p><small>${escaped(mediaType)}</small></p>\n<div class="schema">${wholeSchema(asJson(schema), document)}</div>${samples.map(sample).join('')}`;
    })
    .join('\n');
}

/** A schema that an operation refers to stands with the operation; those within are linked to. */
function wholeSchema(schema: Json, document: Json): string {
  const name = referredName(schema);
  return schemaHtml(name === undefined ? schema : asJson(asJson(document['components'])['schemas'])[name]);
}

function answersHtml(responses: Json, document: Json): string {
  const own: string[] = [];
  const refusals: string[] = [];
  for (const [status, response] of Object.entries(responses)) {
    const { $ref, description, content, headers } = asJson(response);
    if (typeof $ref === 'string') refusals.push(`<a href="#answer-${escaped($ref.split('/').at(-1))}">${escaped(status)}</a>`);
    else
      own.push(
        `<p><strong>${escaped(status)}</strong> ${sentence(description)}</p>${headersHtml(asJson(headers))}${contentHtml(asJson(content), document)}`,
      );
  }
  return `${own.join('\n')}\n<p class="refusals">Otherwise: ${refusals.join(', ')}</p>`;
}

function headersHtml(headers: Json): string {
  const rows = Object.entries(headers).map(([name, header]) => {
    const { description, example } = asJson(header);
    const shown = example === undefined ? '' : ` For example <code>${escaped(example)}</code>.`;
    return `<li><code class="name">${escaped(name)}</code> ${sentence(description)}${shown}</li>`;
  });
  return rows.length === 0 ? '' : `<ul class="fields">${rows.join('')}</ul>`;
}

function refusalsOf(responses: Json): string {
  const articles = Object.entries(responses).map(([name, response]) => {
    const { description, headers, content } = asJson(response);
    const samples = Object.values(asJson(content)).flatMap((part) => Object.values(asJson(asJson(part)['examples'])));
    return `<article id="answer-${escaped(name)}"><h3>${escaped(name)}</h3>\n<p>${sentence(description)}</p>\n${headersHtml(asJson(headers))}${samples.map((one) => sample(asJson(one)['value'])).join('')}</article>`;
  });
  return `<section id="refusals"><h2>Refusals and faults</h2>\n${articles.join('\n')}</section>`;
}

/** The shapes that operations or other shapes link to. */
function schemasOf(schemas: Json, sections: string): string {
  const articles = new Map<string, string>();
  const add = (html: string): void => {
    for (const [, name = ''] of html.matchAll(/href="#schema-([^"]+)"/g)) {
      if (articles.has(name)) continue;
      const schema = schemaHtml(schemas[name]);
      articles.set(name, `<article id="schema-${name}"><h3>${name}</h3>\n<div class="schema">${schema}</div></article>`);
      add(schema);
    }
  };
  add(sections);
  return `<section id="schemas"><h2>Schemas</h2>\n${[...articles.values()].join('\n')}</section>`;
}
