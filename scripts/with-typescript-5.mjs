// `node --import`: gives the generator, which needs the programming interface of TypeScript 5, that version in the place of the project's.
import { register } from 'node:module';

const hook = `export const resolve = (name, context, next) => next(name === 'typescript' ? 'typescript-5' : name, context);`;
register(`data:text/javascript,${encodeURIComponent(hook)}`);
