package io.csi4j.volume.kill;

import io.csi4j.testkit.Referee;
import io.csi4j.testkit.referee.Breach;
import io.csi4j.testkit.referee.Duty;
import io.csi4j.testkit.referee.DutyId;
import io.csi4j.testkit.referee.Verdict;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The duties that the manager is held to: those that bind, and beyond the referee those that the
 * spec lays down in plain words and those that follow from it, since plugins rely on them. What it
 * only recommends is left out.
 */
public final class HeldDuties {

  private static final Set<Duty.Level> RECOMMENDED =
      EnumSet.of(Duty.Level.SHOULD, Duty.Level.SHOULD_NOT, Duty.Level.MAY, Duty.Level.MAY_NOT);

  private static final Set<DutyId> HELD =
      Referee.duties().stream()
          .filter(duty -> !RECOMMENDED.contains(duty.level()))
          .map(Duty::id)
          .collect(Collectors.toSet());

  private HeldDuties() {}

  /** What the caller did against them. */
  public static List<Breach> broken(Verdict verdict) {
    return verdict.breaches().stream().filter(breach -> HELD.contains(breach.duty())).toList();
  }
}
