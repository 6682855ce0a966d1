/** The names of the lanes, which are also metric labels. */
export type LaneName = 'hash' | 'sign' | 'xml' | 'import' | 'keys';

/** A task took longer than its lane allows, and was ended. */
export class TaskTimeoutError extends Error {
  override readonly name = 'TaskTimeoutError';
  constructor(lane: LaneName) {
    super(`a task of the ${lane} lane took too long`);
  }
}

export class LaneFullError extends Error {
  override readonly name = 'LaneFullError';
  readonly lane: LaneName;
  constructor(lane: LaneName) {
    super(`the ${lane} lane is full`);
    this.lane = lane;
  }
}
