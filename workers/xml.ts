import { performXmlTask, type XmlResult, type XmlTask } from '../src/crypto/saml/xml-task.ts';
import { type Settled, settle } from '../src/crypto/task.ts';

/** Reads or checks one XML document. */
export default function runXmlTask(task: XmlTask): Promise<Settled<XmlResult>> {
  return settle(() => performXmlTask(task));
}
