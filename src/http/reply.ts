/// <reference lib="es2024.string" />
import { stringifyAnswer } from '../json/answer.ts';
import type { Answer } from '../recipes/route.ts';
import type { MaybePromise } from '../store/maybe-promise.ts';
import { type BodyPieces, gatherText, piecesOf } from './long-body.ts';

/** A finished answer, as an engine writes it. */
export interface Reply {
  readonly status: number;
  readonly contentType: string;
  /** Text, or its UTF-8 bytes where they stand ready. */
  readonly body: string | Uint8Array;
  /** Names and values of further headers. */
  readonly headers?: readonly (readonly [name: string, value: string])[];
}

/** Whether answers of a status end with their head, and declare no length (RFC 9110 section 15.4.5). */
export const isHeadOnly = (status: number): boolean => status === 304;

/** An answer whose body is made while it is sent. */
export interface LongReply extends Omit<Reply, 'body'> {
  readonly pieces: BodyPieces;
}

/** An answer whose body is text. */
export type TextReply = Reply & { readonly body: string };

const JSON_TYPE = 'application/json;charset=UTF-8';
const TEXT_TYPE = 'text/html;charset=UTF-8';
const XML_TYPE = 'text/xml; charset=UTF-8';
/** What no URL in a header may hold: everything but visible ASCII. */
const NOT_IN_LOCATIONS = /[^!-~]+/g;

/** A text answer; SDKs tell it from JSON by the content type (contract 01 section 2.12). */
export function textReply(status: number, text: string, headers?: Reply['headers']): TextReply {
  return { status, contentType: TEXT_TYPE, body: `${text}\n`, ...(headers && { headers }) };
}

/** The answer of a verb as the contract prints it (01 section 2.12). */
export function answerReply(answer: Answer): MaybePromise<Reply | LongReply> {
  if ('jsonPieces' in answer) return listReply(answer.jsonPieces);
  if ('bytes' in answer) return { status: 200, contentType: answer.contentType, pieces: piecesOf(answer.bytes) };
  if ('jsonBytes' in answer) return { status: 200, contentType: JSON_TYPE, body: answer.jsonBytes };
  if ('xml' in answer) return { status: 200, contentType: XML_TYPE, body: `${answer.xml}\n` };
  if ('redirect' in answer)
    return { status: answer.redirect, contentType: TEXT_TYPE, body: '', headers: [['Location', asLocation(answer.location)]] };
  const isText = 'text' in answer;
  const content = isText ? answer.text : stringifyAnswer(answer.json);
  const reply = { status: 200, contentType: isText ? TEXT_TYPE : JSON_TYPE, body: `${content}\n` };
  const headers: [string, string][] = [];
  if (answer.cacheControl !== undefined) headers.push(['Cache-Control', answer.cacheControl]);
  if (!isText && answer.cookie !== undefined) headers.push(['Set-Cookie', answer.cookie]);
  return headers.length === 0 ? reply : { ...reply, headers };
}

async function listReply(pieces: AsyncIterable<string>): Promise<Reply | LongReply> {
  const body = await gatherText(pieces);
  const head = { status: 200, contentType: JSON_TYPE };
  return typeof body === 'string' ? { ...head, body } : { ...head, pieces: body };
}

function asLocation(url: string): string {
  return url.toWellFormed().replace(NOT_IN_LOCATIONS, encodeURIComponent);
}
