package io.csi4j.testkit.internal.referee;

import io.csi4j.testkit.journal.RecordedCall;
import io.csi4j.testkit.referee.Breach;
import io.csi4j.testkit.referee.DutyId;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** The notes of the rules while they read the journal. */
final class BreachSheet {

  private final Set<Integer> exercised = new HashSet<>();
  private final Set<DutyId> broken = new LinkedHashSet<>();
  private final List<Breach> breaches = new ArrayList<>();
  private final List<Breach> excused = new ArrayList<>();

  void kept(int duty) {
    exercised.add(duty);
  }

  void broken(int duty, String story, List<RecordedCall> calls) {
    DutyId id = DutyId.of(duty);
    broken.add(id);
    breaches.add(new Breach(id, id + " broken: " + story, calls));
  }

  void excused(int duty, String story, List<RecordedCall> calls) {
    DutyId id = DutyId.of(duty);
    excused.add(new Breach(id, id + " excused: " + story, calls));
  }

  List<Breach> excused() {
    return excused;
  }

  boolean wasKept(DutyId duty) {
    return exercised.contains(duty.number());
  }

  Set<DutyId> broken() {
    return broken;
  }

  List<Breach> breaches() {
    return breaches;
  }
}
