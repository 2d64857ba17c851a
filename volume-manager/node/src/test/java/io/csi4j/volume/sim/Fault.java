package io.csi4j.volume.sim;

import java.util.List;

/** What can go wrong with one call to a plugin. */
enum Fault {
  /** Nothing: it is done, and the answer is OK. */
  NONE,
  /** Refused, and nothing was done. */
  REFUSED,
  /** An answer that leaves it open, and it was done. */
  UNCERTAIN_DONE,
  /** An answer that leaves it open, and nothing was done. */
  UNCERTAIN_NOT_DONE,
  /** No answer within the deadline; it is done after that. */
  LATE,
  /** OK, and nothing was done. */
  LIE,
  /** Refused, although it was done. */
  REFUSED_DONE,

  // What follows is for random histories only.

  /** No answer within the deadline, and it is never done. */
  HANG,
  /** The answer is lost: the connection broke after it was done. */
  LOST,
  /** The call certainly did not reach the plugin. */
  NOT_SENT,
  /** Done twice: two mounts on top of each other. */
  TWICE,
  /** Published, but not read-only although that was asked for, or the other way round. */
  OTHER_FLAGS,
  /** Done at another path than asked for. */
  WRONG_PATH,
  /** Done so late that nobody could expect it any more. */
  ROGUE;

  /** All of them. */
  static final List<Fault> ALL = List.of(values());

  /** Those that histories which are all gone through have to do with. */
  static final List<Fault> IN_DRILLS =
      List.of(NONE, REFUSED, UNCERTAIN_DONE, UNCERTAIN_NOT_DONE, LATE, LIE, REFUSED_DONE);
}
