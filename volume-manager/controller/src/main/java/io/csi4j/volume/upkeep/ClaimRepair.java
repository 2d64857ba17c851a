package io.csi4j.volume.upkeep;

import io.csi4j.volume.claim.ClaimException;
import io.csi4j.volume.claim.coordination.ClaimCoordinator;
import io.csi4j.volume.internal.claims.RoundOfCalls;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiPredicate;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/** Repairs drift through a coordinator, under the rules of claims. */
final class ClaimRepair implements DriftCheck.Repair {

  private final ClaimCoordinator claims;
  private final Consumer<OperatorMessage> told;

  /** The volumes of each plugin that come last in the next round. */
  private final Map<PluginId, List<VolumeKey>> last = new ConcurrentHashMap<>();

  ClaimRepair(ClaimCoordinator claims, Consumer<OperatorMessage> told) {
    this.claims = Objects.requireNonNull(claims, "claims");
    this.told = Objects.requireNonNull(told, "told");
  }

  /**
   * Handles the findings of one plugin in one round, which stops calling the plugin once it has
   * left some calls without an answer.
   *
   * @param handling repairs a finding, and returns whether it is repaired
   * @return the repaired findings, in their order
   */
  List<Drift> inOneRound(List<Drift> findings, BiPredicate<Drift, DriftCheck.Repair> handling) {
    RoundOfCalls round = new RoundOfCalls();
    DriftCheck.Repair repair = new ClaimRepair(claims.through(round::over), told);
    Optional<PluginId> plugin =
        findings.stream().findFirst().flatMap(drift -> round.plugin(drift.volume()));
    List<VolumeKey> lastNow =
        plugin.map(it -> last.getOrDefault(it, List.of())).orElseGet(List::of);
    Set<Drift> repaired = new HashSet<>();
    try {
      for (Drift drift : RoundOfCalls.ordered(findings, it -> Optional.of(it.volume()), lastNow)) {
        if (handling.test(drift, repair)) {
          repaired.add(drift);
        }
      }
    } finally {
      plugin.ifPresent(it -> last.put(it, round.last(lastNow)));
    }
    return findings.stream().filter(repaired::contains).toList();
  }

  @Override
  public boolean attachAgain(Drift.LostAttachment lost) {
    VolumeUse usage = VolumeUse.of(lost.volume(), lost.holder().workload());
    return isDone(() -> claims.attachAgain(usage, lost.holder().epoch()).usage().equals(usage));
  }

  @Override
  public boolean detach(Drift.UnknownAttachment unknown) {
    return isDone(() -> claims.detachUnclaimed(unknown.volume(), unknown.node()));
  }

  private boolean isDone(BooleanSupplier repair) {
    try {
      return repair.getAsBoolean();
    } catch (ClaimException failed) {
      told.accept(failed.operatorMessage());
      return false;
    }
  }
}
