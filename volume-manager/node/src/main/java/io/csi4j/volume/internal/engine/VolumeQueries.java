package io.csi4j.volume.internal.engine;

import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountPath;
import io.csi4j.volume.internal.layout.VolumeLayout;
import io.csi4j.volume.internal.lifecycle.Admission;
import io.csi4j.volume.internal.lifecycle.Failure;
import io.csi4j.volume.internal.lifecycle.Goal;
import io.csi4j.volume.internal.port.Sighting;
import io.csi4j.volume.internal.record.Evidence;
import io.csi4j.volume.internal.record.PathRecord;
import io.csi4j.volume.internal.record.TargetRecord;
import io.csi4j.volume.internal.record.VolumeRecord;
import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.NodeReceipt;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.node.Explanation;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.node.PathStatus;
import io.csi4j.volume.node.VolumeStatus;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Answers queries from the records and the mounts. Changes no state. */
final class VolumeQueries {

  private static final String PROVING = "proving that nothing is left of";

  private final EngineParts parts;
  private final VolumeIndex index;
  private final ForeignMounts foreign;
  private final HealthWatch health;

  VolumeQueries(EngineParts parts, VolumeIndex index, ForeignMounts foreign, HealthWatch health) {
    this.parts = parts;
    this.index = index;
    this.foreign = foreign;
    this.health = health;
  }

  /**
   * Returns why the host's rules or the records would make the engine refuse a mount; empty if they
   * allow the mount.
   */
  Optional<OperatorMessage> refusal(MountRequest asked) {
    VolumeIdentity identity = new VolumeIdentity(asked.plugin(), asked.handle());
    HostTerms terms = HostTerms.of(parts);
    Optional<HostTerms.Refusal> refused = terms.refusal(asked);
    if (refused.isPresent()) {
      return refused.map(it -> refused(identity, asked, it.code(), it.seen()));
    }
    MountRequest request = terms.applied(asked);
    Optional<VolumeIdentity> other =
        index.owner(request.usage()).filter(it -> !it.equals(identity));
    if (other.isPresent()) {
      return Optional.of(
          refused(identity, request, OperatorCode.OPTIONS_DIFFER, otherwise(other.get())));
    }
    return index
        .record(identity)
        .flatMap(known -> Admission.refusal(known, Goal.Publish.of(request, known)))
        .map(failure -> refused(identity, request, failure.code(), failure.seen()));
  }

  /** Returns the message with which a mount is refused. */
  private OperatorMessage refused(
      VolumeIdentity identity, MountRequest request, OperatorCode code, String seen) {
    Subject subject =
        VolumeReport.isBeforeAnything(code)
            ? Subject.of("mounting", identity).by(request.usage())
            : VolumeReport.subject(
                parts.layout(), "mounting", identity, Optional.of(request.usage()));
    return Messages.of(code, subject, seen);
  }

  /** Returns the reason for refusing a use that is on record for another volume. */
  static String otherwise(VolumeIdentity owner) {
    return "the use is recorded for " + owner + ", which is another volume";
  }

  /**
   * Returns whether a use is recorded as present, is mounted, and has no mount that is known to be
   * dead.
   */
  boolean hasMount(VolumeUse usage) {
    Optional<VolumeIdentity> identity = index.owner(usage);
    Optional<PathRecord> path =
        identity
            .flatMap(index::record)
            .flatMap(record -> record.target(usage))
            .map(TargetRecord::path)
            .filter(at -> at.is(PathStatus.PRESENT));
    if (path.isEmpty() || index.isDead(identity.orElseThrow(), usage)) {
      return false;
    }
    MountPath target = parts.layout().target(identity.orElseThrow(), usage);
    if (foreign.isHidden(target)) {
      return false;
    }
    Optional<Evidence> evidence = path.get().evidence();
    List<Sighting> stack = parts.kernel().at(target);
    if (stack.isEmpty()) {
      refuseIfMoved(Subject.of("looking for a mount").by(usage));
      return evidence.isEmpty();
    }
    Sighting top = stack.get(stack.size() - 1);
    return top.health() != Sighting.Health.DEAD
        && (evidence.isEmpty() || top.evidence().looksLike(evidence.get()));
  }

  /**
   * Returns a receipt that nothing of a use is left on this node. Throws an exception that says
   * what is left, if something is left.
   *
   * @param identity the volume of the use, if it is known
   */
  NodeReceipt receipt(VolumeUse usage, long epoch, Optional<VolumeIdentity> identity) {
    Subject subject = Subject.of(PROVING).by(usage);
    Optional<Failure> covered = foreign.seen();
    if (covered.isPresent()) {
      throw VolumeReport.refused(covered.get().code(), subject, covered.get().seen());
    }
    if (!index.isOver(usage)) {
      throw VolumeReport.refused(
          OperatorCode.RECEIPT_REFUSED,
          subject,
          "it is recorded, or an operation on it is pending");
    }
    Map<VolumeIdentity, VolumeRecord> records = new TreeMap<>();
    index
        .volumes()
        .forEach(actor -> actor.view().record().ifPresent(it -> records.put(actor.identity(), it)));
    NodeReceipt receipt = new Receipt(parts, usage, identity, records).of(epoch);
    refuseIfMoved(subject);
    return receipt;
  }

  /**
   * Refuses to answer that nothing is mounted if the manager's directory has moved, because its
   * mounts would not be visible.
   */
  private void refuseIfMoved(Subject subject) {
    foreign
        .moved()
        .ifPresent(
            moved -> {
              throw VolumeReport.refused(moved.code(), subject, moved.seen());
            });
  }

  /**
   * Returns whether a volume may be detached: it is not on record, not requested and not mounted.
   */
  boolean mayDetach(VolumeIdentity volume) {
    Subject subject = Subject.of("checking whether to detach", volume);
    Optional<Failure> covered = foreign.seen();
    if (covered.isPresent()) {
      throw VolumeReport.refused(covered.get().code(), subject, covered.get().seen());
    }
    if (index.isKnown(volume)) {
      return false;
    }
    try {
      boolean isFree = parts.kernel().beneath(parts.layout().volume(volume)).isEmpty();
      refuseIfMoved(subject);
      return isFree;
    } catch (MountException e) {
      throw VolumeReport.refused(
          OperatorCode.MOUNT_TABLE_UNREADABLE, subject, String.valueOf(e.getMessage()));
    }
  }

  /** Returns the status of every volume. */
  List<VolumeStatus> volumes() {
    List<VolumeStatus> all = new ArrayList<>();
    for (VolumeQueue actor : index.volumes()) {
      status(actor).ifPresent(all::add);
    }
    return all;
  }

  private Optional<VolumeStatus> status(VolumeQueue actor) {
    return status(actor, actor.view());
  }

  private Optional<VolumeStatus> status(VolumeQueue actor, VolumeQueue.View view) {
    return view.record().map(record -> status(record, view, index.leaving(actor)));
  }

  private VolumeStatus status(VolumeRecord record, VolumeQueue.View view, List<VolumeUse> leaving) {
    VolumeLayout.Home home = parts.layout().home(record.identity());
    List<VolumeStatus.Use> list = new ArrayList<>();
    for (TargetRecord target : record.targets().values()) {
      MountPath path = home.target(target.usage());
      list.add(
          new VolumeStatus.Use(
              target.usage(),
              shown(
                  target.path(),
                  foreign.isHidden(path) || view.covered().contains(Optional.of(target.usage())),
                  view.dead().contains(target.usage())),
              target.readOnly(),
              path.toPath()));
    }
    return new VolumeStatus(
        record.identity().plugin(),
        record.identity().handle(),
        shown(
            record.staging(),
            foreign.isHidden(home.staging()) || view.covered().contains(Optional.empty()),
            false),
        list,
        leaving,
        record.abandoned(),
        record.plan().mode(),
        Optional.of(record.plan().fsType()).filter(type -> !type.isEmpty()),
        record.plan().block(),
        trouble(record.identity(), view),
        health.of(record.identity()));
  }

  /**
   * Returns the obstacle of a volume: its own trouble, or a foreign mount that covers its paths.
   */
  private Optional<OperatorMessage> trouble(VolumeIdentity identity, VolumeQueue.View view) {
    return view.trouble()
        .or(
            () ->
                foreign
                    .covering(identity)
                    .map(
                        failure ->
                            Messages.of(
                                failure.code(),
                                Subject.of("looking after", identity),
                                failure.seen())));
  }

  /**
   * Returns the status of a path for display. A recorded mount that is covered is shown as
   * uncertain, and a dead mount as dead.
   */
  private static PathStatus shown(PathRecord path, boolean isCovered, boolean isDead) {
    if (!path.is(PathStatus.PRESENT)) {
      return path.status();
    }
    return isCovered ? PathStatus.IN_DOUBT : isDead ? PathStatus.DEAD : PathStatus.PRESENT;
  }

  /** Explains the volumes with a matching use to people. */
  Explanation explain(String subject, Predicate<VolumeUse> about) {
    long now = parts.clock().nanos();
    return new Explanation(
        subject,
        index.volumes().stream()
            .filter(
                actor ->
                    uses(actor.view()).anyMatch(about)
                        || index.leaving(actor).stream().anyMatch(about))
            .map(actor -> known(actor, actor.view(), now))
            .toList());
  }

  /** Returns the known state of every volume, in order. */
  List<VolumeEngine.KnownVolume> known() {
    long now = parts.clock().nanos();
    return index.volumes().stream()
        .sorted(Comparator.comparing(VolumeQueue::identity))
        .map(
            actor -> {
              VolumeQueue.View view = actor.view();
              return new VolumeEngine.KnownVolume(known(actor, view, now), view.record());
            })
        .toList();
  }

  /** Returns the volumes that have an obstacle. */
  List<Explanation.Explained> troubled() {
    long now = parts.clock().nanos();
    List<Explanation.Explained> troubled = new ArrayList<>();
    for (VolumeQueue actor : index.volumes()) {
      VolumeQueue.View view = actor.view();
      if (trouble(actor.identity(), view).isPresent()) {
        troubled.add(known(actor, view, now));
      }
    }
    return troubled;
  }

  private static Stream<VolumeUse> uses(VolumeQueue.View view) {
    return Stream.concat(
        view.record().stream().flatMap(record -> record.targets().keySet().stream()),
        view.activity().stream()
            .flatMap(
                activity ->
                    Stream.concat(
                        activity.operation().usage().stream(), activity.waiting().stream())));
  }

  private Explanation.Explained known(VolumeQueue actor, VolumeQueue.View view, long now) {
    int attempts =
        parts
            .plugins()
            .find(actor.identity().plugin())
            .map(plugin -> plugin.policy().attempts())
            .orElse(1);
    return new Explanation.Explained(
        actor.identity(),
        status(actor, view),
        view.activity()
            .map(
                activity ->
                    new Explanation.Work(
                        activity.operation().kind(),
                        activity.operation().usage(),
                        activity.doing(),
                        Duration.ofNanos(now - activity.since()),
                        activity.tries(),
                        attempts,
                        activity.answer(),
                        activity.pause(),
                        activity.waiting())),
        trouble(actor.identity(), view)
            .map(
                message ->
                    new Explanation.Trouble(
                        message,
                        view.troubled().stream()
                            .mapToObj(since -> Duration.ofNanos(Math.max(0, now - since)))
                            .findFirst())));
  }

  /**
   * Checks that nothing of a use is left on this node, and creates the receipt. The records and the
   * mount table must both show that nothing is left.
   */
  private static final class Receipt {

    private final EngineParts parts;
    private final VolumeUse usage;
    private final Optional<VolumeIdentity> identity;
    private final Map<VolumeIdentity, VolumeRecord> records;

    /**
     * Creates the check for one use.
     *
     * @param identity the volume of the use, if it is known
     * @param records the volumes on record
     */
    Receipt(
        EngineParts parts,
        VolumeUse usage,
        Optional<VolumeIdentity> identity,
        Map<VolumeIdentity, VolumeRecord> records) {
      this.parts = parts;
      this.usage = usage;
      this.identity = identity;
      this.records = records;
    }

    /** Returns the receipt for the claim with this epoch. */
    NodeReceipt of(long epoch) {
      var terms =
          parts
              .claims()
              .terms()
              .orElseThrow(() -> refused("the manager was opened without the name of its node"));
      for (VolumeRecord record : records.values()) {
        for (TargetRecord target : record.targets().values()) {
          if (target.usage().equals(usage) || isNamed(target)) {
            throw refused("it is on record as " + target.path().status());
          }
        }
      }
      List<Sighting> mounted = mounted();
      for (Sighting sighting : mounted) {
        if (isOfUse(sighting.path())) {
          throw refused("it is mounted at " + sighting.path());
        }
      }
      NodeReceipt.Staging staging =
          identity.isPresent() ? staging(identity.get(), mounted) : staging(mounted);
      return new NodeReceipt(
          usage, epoch, terms.node(), parts.kernel().place().boot(), looked(), staging);
    }

    /** Returns whether a target belongs to this use but is known only by its directory. */
    private boolean isNamed(TargetRecord target) {
      return target.usage().workload().value().equals(VolumeLayout.id(usage));
    }

    private List<Sighting> mounted() {
      try {
        return parts.kernel().beneath(parts.layout().volumes());
      } catch (MountException e) {
        throw VolumeReport.refused(
            OperatorCode.MOUNT_TABLE_UNREADABLE,
            Subject.of(PROVING).by(usage),
            String.valueOf(e.getMessage()));
      }
    }

    /**
     * Returns whether a path is inside the directory of the use, in the directory of any volume.
     */
    private boolean isOfUse(MountPath path) {
      String below = path.toString().substring(parts.layout().volumes().toString().length());
      return below.contains("/p/" + VolumeLayout.id(usage) + "/");
    }

    private NodeReceipt.Staging staging(VolumeIdentity volume, List<Sighting> mounted) {
      Optional<VolumeRecord> record = Optional.ofNullable(records.get(volume));
      if (record.filter(known -> !known.targets().isEmpty()).isPresent()) {
        return NodeReceipt.Staging.KEPT_FOR_OTHERS;
      }
      if (record.filter(known -> !known.staging().is(PathStatus.NONE)).isPresent()) {
        throw refused("its staging is recorded as " + record.get().staging().status());
      }
      for (Sighting sighting : mounted) {
        if (sighting.path().isWithin(parts.layout().volume(volume))) {
          throw refused("its volume is mounted at " + sighting.path());
        }
      }
      return NodeReceipt.Staging.GONE;
    }

    /**
     * Returns the state of the staging if the request does not name the volume. In that case, no
     * staged volume may be left that the use could belong to.
     */
    private NodeReceipt.Staging staging(List<Sighting> mounted) {
      for (Map.Entry<VolumeIdentity, VolumeRecord> volume : records.entrySet()) {
        if (volume.getValue().targets().keySet().stream()
            .anyMatch(other -> other.volume().equals(usage.volume()))) {
          return NodeReceipt.Staging.KEPT_FOR_OTHERS;
        }
      }
      for (VolumeRecord record : records.values()) {
        if (record.targets().isEmpty()) {
          throw refused(
              "the request names no volume, and " + record.identity() + " is being released");
        }
      }
      for (Sighting sighting : mounted) {
        if (records.keySet().stream()
            .noneMatch(volume -> sighting.path().isWithin(parts.layout().volume(volume)))) {
          throw refused(
              "the request names no volume, but it is unknown which volume is mounted at "
                  + sighting.path());
        }
      }
      return NodeReceipt.Staging.GONE;
    }

    private List<Path> looked() {
      return identity
          .map(
              volume ->
                  List.of(
                      parts.layout().target(volume, usage).toPath(),
                      parts.layout().staging(volume).toPath()))
          .orElseGet(() -> List.of(parts.layout().volumes().toPath()));
    }

    private VolumeException refused(String seen) {
      return VolumeReport.refused(
          OperatorCode.RECEIPT_REFUSED, Subject.of(PROVING).by(usage), seen);
    }
  }
}
