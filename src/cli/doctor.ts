import { DOCTOR, runDoctor } from '../doctor.ts';
import { bind } from './command.ts';

/** `watchword doctor`. */
export const DOCTOR_COMMAND = bind(DOCTOR, (line, { screen, signal }) => runDoctor(line, screen, signal));
