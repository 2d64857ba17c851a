package io.csi4j.testkit.referee;

import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * How a caller kept its duties.
 *
 * @since 1.0
 */
public interface Verdict {

  /** Every duty there is with what the referee found, in the order of the numbers. */
  Map<DutyId, Finding> findings();

  /**
   * Every breach, in the order they happened: those of {@link Duty.Level#binding binding} duties,
   * and those that are advice.
   */
  List<Breach> breaches();

  /**
   * Every duty bent where the plugin left its caller no other way, in the order they happened; such
   * as a volume that was unstaged after its unpublishing was refused at least five times. They
   * count as no breach, and are in the report.
   */
  default List<Breach> excused() {
    return List.of();
  }

  /** The duties broken, binding ones and others. */
  Set<DutyId> broken();

  /** Those of the {@link #broken} that are not binding: advice to the caller, no accusation. */
  Set<DutyId> advice();

  /** Whether no duty was broken that is {@link Duty.Level#binding binding}; others are advice. */
  boolean lawful();

  /** The whole report for a person: what was broken with the calls, then the rest in short. */
  String describe();

  /**
   * Throws if the caller is not {@link #lawful}.
   *
   * @throws UnlawfulCallerException with the whole story
   */
  void assertLawful();

  /** The finding of the referee about one duty. */
  enum Finding {
    /** There was occasion to break it, and it was kept. */
    KEPT,
    /** The duty was broken. */
    BROKEN,
    /** There was no occasion to keep or break it. */
    NOT_EXERCISED,
    /** No plugin can see it. */
    UNSEEN
  }
}
