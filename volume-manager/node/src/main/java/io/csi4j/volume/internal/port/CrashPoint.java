package io.csi4j.volume.internal.port;

/**
 * A named moment of an operation. Whatever happens there, be it the end of the process, must leave
 * what a restart can go on from.
 */
public enum CrashPoint {
  /** Publish: admitted in memory. */
  P1,
  /** Publish: the intent is remembered. */
  P6,
  /** Publish: the directories of the volume are made. */
  P7,
  /** Publish: staging is about to be asked for. */
  P8,
  /** Publish: the answer to staging is in. */
  P9,
  /** Publish: the mount table was asked about staging. */
  P10,
  /** Publish: staged, and the intent to publish is remembered. */
  P11,
  /** Publish: the directory above the target is made. */
  P12,
  /** Publish: publishing is about to be asked for. */
  P13,
  /** Publish: the answer is in. */
  P14,
  /** Publish: the mount table was asked. */
  P15,
  /** Publish: published is remembered. */
  P16,
  /** Publish: the caller is told. */
  P17,
  /** Release: the intent is remembered. */
  U1,
  /** Release: unpublishing is about to be asked for. */
  U2,
  /** Release: the answer is in. */
  U3,
  /** Release: the target is gone, and what was left of it removed. */
  U4,
  /** Release: the end of the use is remembered. */
  U5,
  /** Release: unstaging is about to be asked for. */
  U6,
  /** Release: the answer is in. */
  U7,
  /** Release: the staging is gone, and the directories removed. */
  U8,
  /** Release: the tombstone is remembered. */
  U9,
  /** The tombstone is removed. */
  U12
}
