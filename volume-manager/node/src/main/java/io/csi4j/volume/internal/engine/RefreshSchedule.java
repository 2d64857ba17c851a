package io.csi4j.volume.internal.engine;

import io.csi4j.client.model.CsiConnectException;
import io.csi4j.client.model.CsiException;
import io.csi4j.client.model.StatusCode;
import io.csi4j.volume.internal.lifecycle.Turn.Notice;
import io.csi4j.volume.internal.record.TargetRecord;
import io.csi4j.volume.internal.record.Verb;
import io.csi4j.volume.internal.record.VolumeRecord;
import io.csi4j.volume.internal.recovery.Recovery;
import io.csi4j.volume.internal.time.Scheduler;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.model.VolumeException.Outcome;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.node.PathStatus;
import java.time.Duration;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Plans the refreshes of one volume by the plugin's policy, and remembers which refreshes have
 * failed. Used only in the mailbox of the volume.
 */
final class RefreshSchedule {

  /** The answers after which the same request must not be repeated: the caller has to change it. */
  private static final Set<StatusCode> FINAL =
      Set.of(
          StatusCode.INVALID_ARGUMENT,
          StatusCode.ALREADY_EXISTS,
          StatusCode.OUT_OF_RANGE,
          StatusCode.UNIMPLEMENTED);

  /** The codes for requests that cannot be fulfilled or are no longer wanted. */
  private static final Set<OperatorCode> UNMET =
      Set.of(OperatorCode.NOT_MOUNTED, OperatorCode.OPTIONS_DIFFER, OperatorCode.SUPERSEDED);

  private final VolumeQueue volume;
  private Scheduler.@Nullable Timer next;

  // These maps are shared empty instances for most volumes.

  /** The last publication of each use; kept in memory only. */
  private Map<VolumeUse, Latest> uses = Map.of();

  /** The failure of the last refresh of each use. */
  private Map<VolumeUse, OperatorMessage> failures = Map.of();

  /**
   * The last publication of a use.
   *
   * @param request the request, with the contexts and the provider of the secrets
   * @param since the time of the publication, in nanoseconds
   * @param isRefused whether the plugin has refused this request, so that it must not be repeated
   */
  private record Latest(MountRequest request, long since, boolean isRefused) {}

  RefreshSchedule(VolumeQueue volume) {
    this.volume = volume;
  }

  /** Returns whether the plugin may still be working on a refresh of a use. */
  static boolean isBeingRefreshed(TargetRecord use) {
    return use.path().is(PathStatus.PRESENT) && use.path().awaits(Verb.PUBLISH);
  }

  /**
   * Handles a volume that was found at the start. A use is reported if the manager's previous run
   * was refreshing it.
   */
  void restore(VolumeRecord found) {
    for (TargetRecord use : found.targets().values()) {
      if (isBeingRefreshed(use)) {
        put(
            use.usage(),
            volume.report.message(
                new Notice(
                    OperatorCode.REFRESH_IN_DOUBT, Recovery.REFRESHED, Optional.of(use.usage()))));
      }
    }
  }

  private void put(VolumeUse usage, OperatorMessage message) {
    failures = failures.isEmpty() ? new TreeMap<>() : failures;
    failures.put(usage, message);
  }

  /** Returns the message about a failed refresh, if the last refresh of some use has failed. */
  Optional<OperatorMessage> trouble() {
    return failures.values().stream().findFirst();
  }

  // ---- the uses to refresh

  /** Remembers how a use is published, in case the policy requires refreshes. */
  void remember(MountRequest request) {
    Latest known = uses.get(request.usage());
    put(
        new Latest(
            request,
            known == null ? volume.parts.clock().nanos() : known.since(),
            known != null && known.isRefused() && known.request().equals(request)));
  }

  private void put(Latest latest) {
    uses = uses.isEmpty() ? new TreeMap<>() : uses;
    uses.put(latest.request().usage(), latest);
  }

  /** Handles the end of an operation. */
  void ended(Operation operation, Optional<VolumeException> failure) {
    if (operation instanceof Operation.Mount mount) {
      if (failure.isEmpty() && volume.mayRefresh()) {
        remember(mount.request);
      }
    } else if (operation instanceof Operation.Refresh refresh) {
      refreshed(refresh.request, failure);
    }
    keepOnly(volume.memory.record());
  }

  /**
   * Notes the end of a refresh. The next refresh follows after a full interval. It uses the
   * contexts of this refresh if they may be in effect, and otherwise the contexts of the last
   * publication.
   */
  private void refreshed(MountRequest request, Optional<VolumeException> failure) {
    Latest known = uses.get(request.usage());
    boolean mayBeInForce = failure.isEmpty() || failure.get().outcome() == Outcome.IN_PROGRESS;
    if (volume.mayRefresh() && (mayBeInForce || known != null)) {
      MountRequest inForce = mayBeInForce || known == null ? request : known.request();
      boolean isRefused =
          inForce.equals(request) && failure.filter(RefreshSchedule::isFinal).isPresent();
      put(new Latest(inForce, volume.parts.clock().nanos(), isRefused));
    }
    // A request that cannot be fulfilled, or is no longer wanted, does not mean that the mounted
    // volume has a fault.
    failure
        .filter(it -> !UNMET.contains(it.code()))
        .ifPresent(it -> put(request.usage(), it.operatorMessage()));
  }

  /** Notes that a use was published, so an earlier failure of a refresh no longer matters. */
  void isWell(VolumeUse usage) {
    failures = without(failures, usage::equals);
  }

  /**
   * Returns whether the failure is final, so the same request must not be sent to the plugin again.
   * A missing connection is not final.
   */
  private static boolean isFinal(VolumeException failure) {
    return failure.getCause() instanceof CsiException answer
        && !(answer instanceof CsiConnectException)
        && FINAL.contains(answer.code());
  }

  /** Forgets the uses that no longer exist or are being released. */
  private void keepOnly(Optional<VolumeRecord> record) {
    Predicate<VolumeUse> isOver =
        usage ->
            record
                .flatMap(known -> known.target(usage))
                .filter(use -> !use.path().is(PathStatus.GOING))
                .isEmpty();
    uses = without(uses, isOver);
    failures = without(failures, isOver);
  }

  private static <T> Map<VolumeUse, T> without(Map<VolumeUse, T> all, Predicate<VolumeUse> which) {
    if (!all.isEmpty()) {
      all.keySet().removeIf(which);
    }
    return all.isEmpty() ? Map.of() : all;
  }

  // ---- the time of the next refresh

  /** Plans the next refresh, if the policy requires one. */
  void consider() {
    cancel();
    Duration interval = volume.plugin().policy().refreshInterval();
    if (interval.isZero() || volume.engine.index.isClosing()) {
      return;
    }
    eldest()
        .ifPresent(
            latest -> {
              // A random share of the interval spreads the refreshes of volumes that were mounted
              // at the same time.
              double share = 0.8 + volume.parts.scheduler().random() / 5;
              long due = latest.since() + (long) (interval.toNanos() * share);
              Duration pause = Duration.ofNanos(Math.max(0, due - volume.parts.clock().nanos()));
              next = volume.parts.scheduler().after(pause, () -> volume.aside(this::refresh));
            });
  }

  /** Cancels the planned refresh. */
  void cancel() {
    if (next != null) {
      next.cancel();
      next = null;
    }
  }

  /** Returns the oldest publication that may be refreshed. */
  private Optional<Latest> eldest() {
    return uses.values().stream()
        .filter(latest -> !latest.isRefused() && isPresent(latest.request().usage()))
        .min(Comparator.comparingLong(Latest::since));
  }

  private boolean isPresent(VolumeUse usage) {
    return volume
        .memory
        .use(usage)
        .map(TargetRecord::path)
        .filter(path -> path.is(PathStatus.PRESENT))
        .isPresent();
  }

  private void refresh() {
    next = null;
    if (!volume.isEmpty() || volume.engine.index.isClosing()) {
      // The refresh is planned again when all operations have ended.
      return;
    }
    eldest()
        .ifPresent(
            latest -> volume.take(new Operation.Refresh(volume.engine.nextId(), latest.request())));
  }
}
