package io.csi4j.volume.internal.engine;

import io.csi4j.mount.model.MountException;
import io.csi4j.volume.internal.lifecycle.Admission;
import io.csi4j.volume.internal.lifecycle.Failure;
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
import io.csi4j.volume.model.UsageKey;
import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.node.Explanation;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.node.PathStatus;
import io.csi4j.volume.node.VolumeStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Answers questions from what is on record and what is mounted; changes nothing. */
final class VolumeQueries {

  private final EngineParts parts;
  private final VolumeIndex index;
  private final Overmounts overmounts;
  private final Function<UsageKey, Optional<VolumeIdentity>> owner;

  /**
   * Questions about these volumes.
   *
   * @param owner the volume that a use leads to
   */
  VolumeQueries(
      EngineParts parts,
      VolumeIndex index,
      Overmounts overmounts,
      Function<UsageKey, Optional<VolumeIdentity>> owner) {
    this.parts = parts;
    this.index = index;
    this.overmounts = overmounts;
    this.owner = owner;
  }

  /** Why a mount would be refused by what is on record, if it would. */
  Optional<OperatorMessage> refusal(MountRequest request) {
    VolumeIdentity identity = new VolumeIdentity(request.plugin(), request.handle());
    Optional<VolumeIdentity> other =
        owner.apply(request.usage()).filter(it -> !it.equals(identity));
    if (other.isPresent()) {
      return Optional.of(
          refused(identity, request, OperatorCode.OPTIONS_DIFFER, otherwise(other.get())));
    }
    PluginCalls requests = new PluginCalls(identity, parts.layout());
    return index
        .record(identity)
        .flatMap(known -> Admission.refusal(known, requests.goal(request, known)))
        .map(failure -> refused(identity, request, failure.code(), failure.seen()));
  }

  /** In the words in which a mount would be refused. */
  private OperatorMessage refused(
      VolumeIdentity identity, MountRequest request, OperatorCode code, String seen) {
    Subject subject =
        VolumeReport.isBeforeAnything(code)
            ? Subject.of("mounting", identity).by(request.usage())
            : Results.subject(parts.layout(), "mounting", identity, Optional.of(request.usage()));
    return Messages.of(code, subject, seen);
  }

  /** Returns the refusal of a use that is on record for another volume. */
  static String otherwise(VolumeIdentity owner) {
    return "the use is on record for " + owner + "; these differ: plugin or volume handle";
  }

  /** Whether a use is on record as present, and mounted, and not known to be dead. */
  boolean hasMount(UsageKey usage) {
    Optional<VolumeIdentity> identity = owner.apply(usage);
    Optional<PathRecord> path =
        identity
            .flatMap(index::record)
            .flatMap(record -> record.target(usage))
            .map(TargetRecord::path)
            .filter(at -> at.is(PathStatus.PRESENT));
    if (path.isEmpty() || index.isDead(identity.orElseThrow(), usage)) {
      return false;
    }
    Optional<Evidence> evidence = path.get().evidence();
    List<Sighting> stack = parts.kernel().at(parts.layout().target(identity.orElseThrow(), usage));
    if (stack.isEmpty()) {
      return evidence.isEmpty();
    }
    Sighting top = stack.get(stack.size() - 1);
    return top.health() != Sighting.Health.DEAD
        && (evidence.isEmpty() || top.evidence().looksLike(evidence.get()));
  }

  /**
   * Proves that nothing of a use is left on this node, or says what is.
   *
   * @param identity which volume it was of, where that is known
   */
  NodeReceipt receipt(UsageKey usage, long epoch, Optional<VolumeIdentity> identity) {
    Subject subject = Subject.of("proving that nothing is left of").by(usage);
    Optional<Failure> covered = overmounts.seen();
    if (covered.isPresent()) {
      throw Results.refused(covered.get().code(), subject, covered.get().seen());
    }
    if (!index.isOver(usage)) {
      throw Results.refused(
          OperatorCode.RECEIPT_REFUSED, subject, "it is on record, or something is asked for it");
    }
    Map<VolumeIdentity, VolumeRecord> records = new TreeMap<>();
    index
        .volumes()
        .forEach(actor -> actor.view().record().ifPresent(it -> records.put(actor.identity(), it)));
    return new Receipts(parts, usage, identity, records).receipt(epoch);
  }

  /** Whether nothing of a volume is on record, asked for or mounted. */
  boolean mayDetach(VolumeIdentity volume) {
    Subject subject = Subject.of("finding out whether to detach", volume);
    Optional<Failure> covered = overmounts.seen();
    if (covered.isPresent()) {
      throw Results.refused(covered.get().code(), subject, covered.get().seen());
    }
    if (index.isKnown(volume)) {
      return false;
    }
    try {
      return parts.kernel().beneath(parts.layout().volume(volume)).isEmpty();
    } catch (MountException e) {
      throw Results.refused(
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
    View view = actor.view();
    return view.record().map(record -> status(record, view, index.leaving(actor)));
  }

  private VolumeStatus status(VolumeRecord record, View view, List<UsageKey> leaving) {
    List<VolumeStatus.Use> list = new ArrayList<>();
    for (TargetRecord target : record.targets().values()) {
      list.add(
          new VolumeStatus.Use(
              target.usage(),
              target.path().is(PathStatus.PRESENT) && view.dead().contains(target.usage())
                  ? PathStatus.DEAD
                  : target.path().status(),
              target.readOnly(),
              parts.layout().target(record.identity(), target.usage()).toPath()));
    }
    return new VolumeStatus(
        record.identity().plugin(),
        record.identity().handle(),
        record.staging().status(),
        list,
        leaving,
        record.abandoned(),
        record.plan().block(),
        view.trouble());
  }

  /** Explains the uses that this accepts, for people. */
  Explanation explain(String subject, Predicate<UsageKey> about) {
    long now = parts.clock().nanos();
    return new Explanation(
        subject,
        index.volumes().stream()
            .filter(
                actor ->
                    uses(actor.view()).anyMatch(about)
                        || index.leaving(actor).stream().anyMatch(about))
            .map(actor -> known(actor, now))
            .toList());
  }

  private static Stream<UsageKey> uses(View view) {
    return Stream.concat(
        view.record().stream().flatMap(record -> record.targets().keySet().stream()),
        view.activity().stream()
            .flatMap(
                activity ->
                    Stream.concat(
                        activity.operation().usage().stream(), activity.waiting().stream())));
  }

  private Explanation.Explained known(VolumeQueue actor, long now) {
    View view = actor.view();
    int attempts =
        parts
            .plugins()
            .find(actor.identity().plugin())
            .map(plugin -> plugin.policy().attempts())
            .orElse(1);
    return new Explanation.Explained(
        actor.identity(),
        status(actor),
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
        view.trouble()
            .map(
                message ->
                    new Explanation.Trouble(
                        message,
                        view.troubled().stream()
                            .mapToObj(since -> Duration.ofNanos(Math.max(0, now - since)))
                            .findFirst())));
  }
}
