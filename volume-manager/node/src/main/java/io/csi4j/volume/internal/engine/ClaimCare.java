package io.csi4j.volume.internal.engine;

import io.csi4j.volume.internal.lifecycle.Goal;
import io.csi4j.volume.internal.record.ClaimMark;
import io.csi4j.volume.internal.record.TargetRecord;
import io.csi4j.volume.model.ClaimStanding;
import io.csi4j.volume.model.UsageKey;
import io.csi4j.volume.node.NodeClaims;
import io.csi4j.volume.node.PathStatus;
import java.util.Optional;

/**
 * Looks whether what is mounted of one volume is still claimed, and has it go if it is not. Used in
 * the mailbox of the volume only.
 */
final class ClaimCare {

  private final VolumeParts parts;
  private final Aftercare aftercare;
  private final ClaimedUses claimed = new ClaimedUses();

  ClaimCare(VolumeParts parts, Aftercare aftercare) {
    this.parts = parts;
    this.aftercare = aftercare;
  }

  /** Asks for every use; nobody waits for the answers. */
  void confirm() {
    for (TargetRecord use : claimed.mounted(parts.memory().record(), now())) {
      ClaimQuestion.ask(
          parts.engine(),
          use.usage(),
          use.claim().epoch(),
          standing -> parts.mailbox().put(() -> confirmed(use.usage(), use.claim(), standing)));
    }
  }

  private long now() {
    return parts.engine().clock().nanos();
  }

  private void confirmed(UsageKey usage, ClaimMark claim, ClaimStanding standing) {
    Optional<TargetRecord> use =
        parts
            .memory()
            .use(usage)
            .filter(it -> it.path().is(PathStatus.PRESENT))
            .filter(it -> it.claim().epoch() == claim.epoch());
    Optional<NodeClaims> terms = parts.engine().claims().terms();
    if (use.isEmpty() || terms.isEmpty() || parts.engineering().isClosing()) {
      return;
    }
    ClaimedUses.Verdict verdict = claimed.heard(use.get(), standing, terms.get(), now());
    verdict.notice().ifPresent(parts.voice()::tell);
    if (verdict.isOver() && aftercare.may(usage)) {
      aftercare.cleanUp(new Goal.Release(usage), Optional.of(usage));
    }
  }
}
