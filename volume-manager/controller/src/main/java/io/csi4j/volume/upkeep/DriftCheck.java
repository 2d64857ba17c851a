package io.csi4j.volume.upkeep;

import io.csi4j.client.controller.ControllerCapability;
import io.csi4j.client.controller.VolumeEntry;
import io.csi4j.client.model.NodeId;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.VolumeHealthEntry;
import io.csi4j.client.model.VolumeHealthReport;
import io.csi4j.client.model.VolumeId;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimHolder;
import io.csi4j.volume.claim.coordination.ClaimCoordinator;
import io.csi4j.volume.controller.ControllerException;
import io.csi4j.volume.controller.VolumeController;
import io.csi4j.volume.internal.claims.ClaimCodec;
import io.csi4j.volume.internal.condition.Conditions;
import io.csi4j.volume.internal.store.RecordValues;
import io.csi4j.volume.internal.time.Clock;
import io.csi4j.volume.internal.time.SystemClock;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeHealth;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.RecordStoreException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiPredicate;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Compares the volumes that a storage system reports with their claims. The check itself changes
 * nothing; the repairs that a policy permits are done only after a second check. Methods block
 * while they wait for the plugin and the store.
 *
 * @since 1.0
 */
public final class DriftCheck {

  private static final Set<StatusCode> NO_ANSWER =
      EnumSet.of(StatusCode.UNAVAILABLE, StatusCode.DEADLINE_EXCEEDED, StatusCode.CANCELLED);

  private final StoredAttachments storage;
  private final RecordValues<Claim> claims;
  private final Clock clock = new SystemClock();

  /**
   * Creates a check of a plugin against these claims, with the volumes that a controller has on
   * record.
   *
   * @param controller the controller, which orders the calls to the plugin
   */
  public DriftCheck(VolumeController controller, PluginId plugin, RecordStore claims) {
    this(StoredAttachments.of(controller, plugin), claims);
  }

  DriftCheck(StoredAttachments storage, RecordStore claims) {
    this.storage = Objects.requireNonNull(storage, "storage");
    this.claims = new RecordValues<>(claims, new ClaimCodec());
  }

  /**
   * Checks these volumes. A volume whose claim cannot be read is reported and not compared; so is
   * one that the plugin answers it cannot read, or whose secrets are missing ({@link
   * Report#failures}).
   *
   * @param volumes the volumes of this plugin that the host knows; other volumes are ignored
   * @throws ControllerException if the plugin does not answer, or returns no list
   * @throws io.csi4j.volume.store.RecordStoreException if the store cannot be read
   */
  public Report look(Map<VolumeId, VolumeKey> volumes) {
    List<Drift> findings = new ArrayList<>();
    Map<VolumeId, RecordValues.Seen<Claim>> before =
        new TreeMap<>(Comparator.comparing(VolumeId::value));
    volumes.forEach(
        (handle, key) -> {
          try {
            before.put(handle, claims.read(ClaimCodec.key(key)));
          } catch (RecordStoreException e) {
            findings.add(unreadable(handle, key, e));
          }
        });
    Instant now = clock.wall();
    Map<VolumeId, ControllerException> unread = new HashMap<>();
    Map<VolumeId, Seen> seen = seen(before.keySet(), unread);
    before.forEach(
        (handle, claim) -> {
          Seen volume = seen.get(handle);
          if (volume != null) {
            readable(handle, unread, () -> Optional.of(confirmed(handle, claim, volume, now)))
                .ifPresent(findings::addAll);
          }
        });
    findings.sort(Comparator.comparing(drift -> drift.handle().value()));
    seen.keySet().removeAll(unread.keySet());
    SortedMap<VolumeKey, ControllerException> failures = new TreeMap<>();
    unread.forEach((handle, why) -> failures.put(volumes.get(handle), why));
    return new Report(findings, seen.size(), before.size() - seen.size(), failures);
  }

  /**
   * Reads one volume. A failure that concerns only this volume does not prevent the comparison of
   * others.
   *
   * @param unread receives the failure
   */
  private static <T> Optional<T> readable(
      VolumeId handle, Map<VolumeId, ControllerException> unread, Supplier<Optional<T>> reading) {
    try {
      return reading.get();
    } catch (ControllerException failed) {
      if (!isOfOneVolume(failed)) {
        throw failed;
      }
      unread.put(handle, failed);
      return Optional.empty();
    }
  }

  /**
   * Whether the plugin has answered for that volume, or was not called because its secrets are
   * missing.
   */
  private static boolean isOfOneVolume(ControllerException failed) {
    return failed.status().filter(code -> !NO_ANSWER.contains(code)).isPresent()
        || failed.code() == OperatorCode.CONTROLLER_SECRETS_MISSING;
  }

  /** An unreadable claim does not prevent the comparison of other volumes. */
  private static Drift unreadable(VolumeId handle, VolumeKey key, RecordStoreException failure) {
    if (failure.reason() != RecordStoreException.Reason.UNREADABLE) {
      throw failure;
    }
    return new Drift.UnreadableClaim(key, handle, String.valueOf(failure.getMessage()));
  }

  /**
   * Performs the repairs that the policy permits, one after the other, each after another check: a
   * difference that is gone or has changed is left alone.
   *
   * <p>Each call to the plugin may use the time for its turn and the budget of its policy ({@link
   * io.csi4j.volume.controller.ControllerSettings}). With {@link Repair#by}, a plugin that leaves
   * two attach or detach calls without an answer gets no more of them before the next repair, and
   * the remaining findings are reported as not repaired: such a plugin costs at most twice that
   * time, no matter how much there is to repair. Findings without an answer come last in the next
   * repair.
   *
   * @return the repaired findings, in the order of the report
   */
  public List<Drift> repair(Report report, Policy policy, Repair repair) {
    BiPredicate<Drift, Repair> handling =
        (drift, by) -> policy.allows(drift) && isStillSo(drift) && isRepaired(drift, by);
    return repair instanceof ClaimRepair claims
        ? claims.inOneRound(report.findings(), handling)
        : report.findings().stream().filter(drift -> handling.test(drift, repair)).toList();
  }

  private static boolean isRepaired(Drift drift, Repair repair) {
    if (drift instanceof Drift.LostAttachment lost) {
      return repair.attachAgain(lost);
    }
    return drift instanceof Drift.UnknownAttachment unknown && repair.detach(unknown);
  }

  private boolean isStillSo(Drift drift) {
    return look(Map.of(drift.handle(), drift.volume())).findings().stream()
        .anyMatch(now -> isSame(now, drift));
  }

  private static boolean isSame(Drift one, Drift other) {
    return (one instanceof Drift.AbnormalVolume sick && other instanceof Drift.AbnormalVolume told)
        ? sick.isSameFault(told)
        : one.equals(other);
  }

  private boolean offers(ControllerCapability capability) {
    return storage.offered().contains(capability);
  }

  /**
   * The storage system's answers about one volume.
   *
   * @param entry the volume with its attachments
   * @param faults the faults of the volume
   */
  private record Seen(Optional<VolumeEntry> entry, List<VolumeHealthEntry> faults) {}

  /** The volumes that the plugin reports anything about, without those that cannot be read. */
  private Map<VolumeId, Seen> seen(Set<VolumeId> known, Map<VolumeId, ControllerException> unread) {
    Map<VolumeId, VolumeEntry> entries = entries(known, unread);
    Map<VolumeId, List<VolumeHealthEntry>> faults = faults(known, entries, unread);
    Map<VolumeId, Seen> seen = new HashMap<>();
    for (VolumeId handle : known) {
      Optional<VolumeEntry> entry = Optional.ofNullable(entries.get(handle));
      boolean isTold = entry.isPresent() || faults.containsKey(handle);
      if (isTold && !unread.containsKey(handle)) {
        seen.put(handle, new Seen(entry, faults.getOrDefault(handle, List.of())));
      }
    }
    return seen;
  }

  /** Health is reported by separate calls or, before CSI 1.13, with the volumes. */
  private Map<VolumeId, List<VolumeHealthEntry>> faults(
      Set<VolumeId> known,
      Map<VolumeId, VolumeEntry> entries,
      Map<VolumeId, ControllerException> unread) {
    Map<VolumeId, List<VolumeHealthEntry>> faults = new HashMap<>();
    Consumer<VolumeHealthReport> told =
        report -> {
          if (known.contains(report.volumeId())) {
            faults
                .computeIfAbsent(report.volumeId(), none -> new ArrayList<>())
                .addAll(report.entries());
          }
        };
    if (offers(ControllerCapability.LIST_VOLUME_HEALTH) && known.size() > 1) {
      storage.listHealth().forEach(told);
    } else if (tellsHealth()) {
      for (VolumeId handle : known) {
        if (!unread.containsKey(handle)) {
          readable(handle, unread, () -> storage.health(handle)).ifPresent(told);
        }
      }
    } else {
      entries.values().forEach(entry -> Conditions.report(entry).ifPresent(told));
    }
    return faults;
  }

  /** Whether the health of single volumes can be queried. */
  private boolean tellsHealth() {
    return offers(ControllerCapability.GET_VOLUME_HEALTH)
        || offers(ControllerCapability.LIST_VOLUME_HEALTH);
  }

  private Map<VolumeId, VolumeEntry> entries(
      Set<VolumeId> known, Map<VolumeId, ControllerException> unread) {
    if (offers(ControllerCapability.LIST_VOLUMES) && known.size() > 1) {
      return listed(known);
    }
    Map<VolumeId, VolumeEntry> seen = new HashMap<>();
    for (VolumeId handle : known) {
      read(handle, unread).ifPresent(entry -> seen.put(handle, entry));
    }
    return seen;
  }

  private Map<VolumeId, VolumeEntry> listed(Set<VolumeId> known) {
    Map<VolumeId, VolumeEntry> seen = new HashMap<>();
    for (VolumeEntry entry : storage.list()) {
      if (known.contains(entry.volume().id())) {
        seen.put(entry.volume().id(), entry);
      }
    }
    return seen;
  }

  /** Reads one volume: with a call for this volume if offered, and otherwise from the list. */
  private Optional<VolumeEntry> read(VolumeId handle, Map<VolumeId, ControllerException> unread) {
    if (offers(ControllerCapability.GET_VOLUME)) {
      return readable(handle, unread, () -> storage.read(handle));
    }
    return offers(ControllerCapability.LIST_VOLUMES)
        ? Optional.ofNullable(listed(Set.of(handle)).get(handle))
        : Optional.empty();
  }

  /** Returns the differences that exist before and after, if the claim has not changed. */
  private List<Drift> confirmed(
      VolumeId handle, RecordValues.Seen<Claim> before, Seen seen, Instant since) {
    List<Drift> first = differences(handle, claim(before), seen, since);
    if (first.isEmpty()) {
      return first;
    }
    Optional<Seen> again = again(handle, seen);
    RecordValues.Seen<Claim> now = claims.read(before.key());
    if (again.isEmpty() || now.version() != before.version()) {
      return List.of();
    }
    return differences(handle, claim(now), again.get(), since).stream()
        .filter(drift -> first.stream().anyMatch(each -> isSame(each, drift)))
        .toList();
  }

  private static Claim claim(RecordValues.Seen<Claim> seen) {
    return seen.value().orElseGet(() -> Claim.none(seen.key().volume().orElseThrow()));
  }

  /** Reads the volume again, as far as the plugin offers that; empty if the volume is gone. */
  private Optional<Seen> again(VolumeId handle, Seen seen) {
    Optional<VolumeEntry> entry = seen.entry();
    if (entry.isPresent() && offers(ControllerCapability.GET_VOLUME)) {
      entry = storage.read(handle);
      if (entry.isEmpty()) {
        return Optional.empty();
      }
    }
    List<VolumeHealthEntry> faults =
        tellsHealth()
            ? storage.health(handle).map(VolumeHealthReport::entries).orElse(List.of())
            : entry.flatMap(Conditions::report).map(VolumeHealthReport::entries).orElse(List.of());
    return Optional.of(new Seen(entry, faults));
  }

  /** The differences between a volume in the storage system and its claim. */
  private List<Drift> differences(VolumeId handle, Claim claim, Seen seen, Instant since) {
    List<Drift> found = new ArrayList<>();
    if (offers(ControllerCapability.LIST_VOLUMES_PUBLISHED_NODES)) {
      seen.entry()
          .ifPresent(
              entry -> attachments(claim, handle, Set.copyOf(entry.publishedNodes()), found));
    }
    List<VolumeHealth.Finding> faults =
        seen.faults().stream()
            .map(
                fault ->
                    new VolumeHealth.Finding(
                        fault, VolumeHealth.Source.controller(), since, clock.wall()))
            .toList();
    new VolumeHealth(faults)
        .findings()
        .forEach(fault -> found.add(new Drift.AbnormalVolume(claim.volume(), handle, fault)));
    return found;
  }

  private static void attachments(
      Claim claim, VolumeId handle, Set<NodeId> attached, List<Drift> found) {
    Set<NodeId> claimed = new HashSet<>();
    for (ClaimHolder holder : claim.holders().values()) {
      if (holder.nodeId().isEmpty() || !mayBeAttached(holder)) {
        continue;
      }
      claimed.add(holder.nodeId().get());
      if (hasToBe(holder) && !attached.contains(holder.nodeId().get())) {
        found.add(new Drift.LostAttachment(claim.volume(), handle, holder));
      }
    }
    Set<NodeId> unknown = new TreeSet<>((one, other) -> one.value().compareTo(other.value()));
    unknown.addAll(attached);
    unknown.removeAll(claimed);
    unknown.forEach(node -> found.add(new Drift.UnknownAttachment(claim.volume(), handle, node)));
  }

  /**
   * Whether the volume may be attached for a claim: true until the storage system has confirmed the
   * detachment.
   */
  private static boolean mayBeAttached(ClaimHolder holder) {
    return !(holder.attachment() instanceof ClaimHolder.Attachment.NotNeeded)
        && !holder.state().isAfter(ClaimHolder.State.NODE_DETACHED);
  }

  /** Whether the volume must be attached: from NODE_DETACHED on, it is being detached. */
  private static boolean hasToBe(ClaimHolder holder) {
    return holder.attachment() instanceof ClaimHolder.Attachment.Attached
        && !holder.state().isAfter(ClaimHolder.State.UNPUBLISHING);
  }

  /**
   * The automatic repairs of drift. By default there are none: an attachment that is unknown here
   * may belong to another system.
   *
   * @param attachesAgain whether a volume that a claim needs is attached again
   * @param detachesUnknown whether a volume that no claim needs is detached
   * @since 1.0
   */
  public record Policy(boolean attachesAgain, boolean detachesUnknown) {

    /** Returns the policy that only reports. */
    public static Policy reportOnly() {
      return new Policy(false, false);
    }

    /** Whether the policy permits a repair. A fault of a volume is only reported to people. */
    boolean allows(Drift drift) {
      return (drift instanceof Drift.LostAttachment && attachesAgain)
          || (drift instanceof Drift.UnknownAttachment && detachesUnknown);
    }
  }

  /**
   * Performs the repairs that a policy permits. Each method has the storage system called again
   * under the rules of claims, through the queue of the volume's calls; it may block.
   *
   * @since 1.0
   */
  public interface Repair {

    /** Attaches a volume again for its claim. Returns whether it is attached. */
    boolean attachAgain(Drift.LostAttachment lost);

    /** Detaches a volume from a node that no claim names. Returns whether it is detached. */
    boolean detach(Drift.UnknownAttachment unknown);

    /**
     * Returns a repair through the coordinator of the claims, which checks them immediately before
     * the storage system is called: a volume that is claimed by then is not detached, and one that
     * is no longer held is not attached. With this repair, {@link DriftCheck#repair} limits the
     * time spent on a plugin that does not answer.
     *
     * @param told receives the reasons for failed repairs
     */
    static Repair by(ClaimCoordinator claims, Consumer<OperatorMessage> told) {
      return new ClaimRepair(claims, told);
    }
  }

  /**
   * The differences between a storage system and the claims. Each finding was checked twice, and no
   * claim was made or released in between.
   *
   * @param findings the differences, in the order of the volumes
   * @param compared the number of compared volumes
   * @param unseen the number of volumes that the storage system did not list, which proves nothing,
   *     because a list is not a snapshot of one moment; includes the volumes that could not be read
   * @param failures the volumes that could not be read, each with the reason
   * @since 1.0
   */
  public record Report(
      List<Drift> findings,
      int compared,
      int unseen,
      SortedMap<VolumeKey, ControllerException> failures) {

    /** Copies the list and the map. */
    public Report {
      findings = List.copyOf(findings);
      failures = Collections.unmodifiableSortedMap(new TreeMap<>(failures));
    }
  }
}
