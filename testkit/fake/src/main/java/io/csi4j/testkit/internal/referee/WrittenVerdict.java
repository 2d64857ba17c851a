package io.csi4j.testkit.internal.referee;

import io.csi4j.testkit.journal.RecordedCall;
import io.csi4j.testkit.referee.Breach;
import io.csi4j.testkit.referee.Duty;
import io.csi4j.testkit.referee.DutyId;
import io.csi4j.testkit.referee.Verdict;
import io.csi4j.testkit.referee.Verdict.Finding;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Collects the findings of the rules during a judgement. */
final class WrittenVerdict {

  private final Set<Integer> kept = new HashSet<>();
  private final Set<Integer> broken = new HashSet<>();
  private final List<Breach> breaches = new ArrayList<>();
  private final List<Breach> excused = new ArrayList<>();

  void kept(int duty) {
    kept.add(duty);
  }

  void broken(int duty, String story, List<RecordedCall> calls) {
    DutyId id = DutyId.of(duty);
    boolean binding = Duty.all().get(duty - 1).level().binding();
    broken.add(duty);
    breaches.add(new Breach(id, id + (binding ? " broken: " : " advice: ") + story, calls));
  }

  void excused(int duty, String story, List<RecordedCall> calls) {
    DutyId id = DutyId.of(duty);
    excused.add(new Breach(id, id + " excused: " + story, calls));
  }

  Verdict verdict() {
    Map<DutyId, Finding> findings = new HashMap<>();
    for (Duty duty : Duty.all()) {
      findings.put(duty.id(), finding(duty));
    }
    return new Verdict(findings, breaches, excused);
  }

  private Finding finding(Duty duty) {
    if (duty.unseen().isPresent()) {
      return Finding.UNSEEN;
    }
    int number = duty.id().number();
    return broken.contains(number)
        ? Finding.BROKEN
        : kept.contains(number) ? Finding.KEPT : Finding.NOT_EXERCISED;
  }
}
