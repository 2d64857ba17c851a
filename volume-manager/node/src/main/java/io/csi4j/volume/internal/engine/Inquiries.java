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
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;

/** Answers questions from what is on record and what is mounted; changes nothing. */
final class Inquiries {

  private final EngineParts parts;
  private final VolumeIndex index;
  private final Overmounts overmounts;
  private final Function<UsageKey, Optional<VolumeIdentity>> owner;

  /**
   * Questions about these volumes.
   *
   * @param owner the volume that a use leads to
   */
  Inquiries(
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
    Requests requests = new Requests(identity, parts.layout(), parts.rules());
    return index
        .record(identity)
        .flatMap(known -> Admission.refusal(known, requests.goal(request, known), parts.rules()))
        .map(failure -> refused(identity, request, failure.code(), failure.seen()));
  }

  /** In the words in which a mount would be refused. */
  private OperatorMessage refused(
      VolumeIdentity identity, MountRequest request, OperatorCode code, String seen) {
    Subject subject =
        Voice.isBeforeAnything(code)
            ? Subject.of("mounting", identity).by(request.usage())
            : Results.subject(parts.layout(), "mounting", identity, Optional.of(request.usage()));
    return Messages.of(code, subject, seen);
  }

  /** What a use is refused with that is on record for another volume. */
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

  /** What is known of every volume. */
  List<VolumeStatus> volumes() {
    List<VolumeStatus> all = new ArrayList<>();
    for (VolumeActor actor : index.volumes()) {
      status(actor).ifPresent(all::add);
    }
    return all;
  }

  private Optional<VolumeStatus> status(VolumeActor actor) {
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
        record.plan().block(),
        view.trouble());
  }

  /** What is being done with the uses that this accepts, for people. */
  Explanation explain(String subject, Predicate<UsageKey> about) {
    return new Explaining(index::leaving, this::status, parts.clock().nanos())
        .of(subject, index.volumes(), about);
  }
}
