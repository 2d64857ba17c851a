package io.csi4j.volume.internal.record;

import io.csi4j.client.model.VolumeId;
import io.csi4j.volume.internal.fields.FieldReader;
import io.csi4j.volume.internal.fields.FieldWriter;
import io.csi4j.volume.internal.fields.MalformedRecordException;
import io.csi4j.volume.internal.fields.RecordBytes;
import io.csi4j.volume.model.Namespace;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.node.PathStatus;
import io.csi4j.volume.state.StateException;
import io.csi4j.volume.state.StateValue;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Encoding of records in a {@link io.csi4j.volume.state.StateStore}. The fields are numbered, so
 * this version can read a record of a newer version and keep the fields that it does not know.
 *
 * <pre>
 * volume     1 format  2 identity  3 plan  4 place  5 staging  6 target...  7 contexts
 *            8 last use  9 abandoned...  10 answered usage...  11... newer fields
 * tombstone  1 format  2 identity  3 plan  4 place  5 usage...  6 abandoned...
 *            7 unsettled  8 answered usage...  9... newer fields
 * identity   1 plugin  2 handle
 * plan       as {@link Plan#read} has it
 * place      1 boot  2 mount namespace
 * target     1 usage  2 read-only  3 path  4 epoch of its claim  5 confirmed
 * usage      1 namespace  2 volume  3 workload
 * path       1 status  2 pending  3 evidence
 * pending    1 verb  2 instance
 * evidence   1 ref  2 type  3 source  4 root  5 read-only
 * contexts   1 digest of what attaching returned  2 context...
 * context    1 usage  2 digest of the volume's context
 *            (both digests: after a ? the one of a refresh of which the effect is not known)
 * abandoned  1 usage  2 the reason that a person gave
 * </pre>
 *
 * A newer version may add fields to a volume or a tombstone, but a new field inside one of their
 * parts needs a new format. A volume with a claimed use has format 2, because a version without
 * claims must not work on the volume; all other records have format 1. Each record has exactly one
 * encoding.
 */
public final class RecordCodec {

  private static final int FORMAT = 1;
  private static final int WITH_CLAIMS = 2;

  private RecordCodec() {}

  /**
   * Encodes a volume.
   *
   * @throws StateException {@link StateException.Reason#STATE_VALUE_TOO_LARGE} if the volume has
   *     too many uses. About two hundred uses fit if their names and mounts have the usual length
   */
  public static StateValue encode(VolumeRecord volume) {
    FieldWriter out =
        head(
                volume.isClaimed() ? WITH_CLAIMS : FORMAT,
                volume.identity(),
                volume.plan(),
                volume.place())
            .part(5, path(volume.staging()));
    for (TargetRecord target : volume.targets().values()) {
      out.part(
          6,
          new FieldWriter()
              .part(1, usage(target.usage()))
              .flag(2, target.readOnly())
              .part(3, path(target.path()))
              .number(4, target.claim().epoch())
              .flag(5, target.claim().confirmed()));
    }
    if (!volume.contexts().isEmpty() || !volume.plan().attached().isEmpty()) {
      FieldWriter contexts = new FieldWriter().text(1, volume.plan().attached());
      volume
          .contexts()
          .forEach(
              (use, digest) ->
                  contexts.part(2, new FieldWriter().part(1, usage(use)).text(2, digest)));
      out.part(7, contexts);
    }
    volume.leaving().ifPresent(use -> out.part(8, usage(use)));
    volume.abandoned().forEach((use, reason) -> out.part(9, abandoned(use, reason)));
    volume.answered().forEach(use -> out.part(10, usage(use)));
    return value(out.fields(volume.unknown().bytes()), volume.identity(), volume.targets().size());
  }

  /** Decodes a volume. */
  public static VolumeRecord decodeVolume(StateValue value) throws MalformedRecordException {
    FieldReader in = new FieldReader(value.bytes());
    boolean hasClaims = in.format(WITH_CLAIMS) == WITH_CLAIMS;
    VolumeIdentity identity = in.required(2, RecordCodec::identity);
    Plan plan = in.required(3, Plan::read);
    Place place = in.required(4, RecordCodec::place);
    PathRecord staging = in.required(5, RecordCodec::path);
    SortedMap<VolumeUse, TargetRecord> targets = new TreeMap<>();
    for (TargetRecord target : in.parts(6, part -> target(part, hasClaims))) {
      RecordBytes.add(
          targets, target.usage(), target, "The uses are not in order, or one is listed twice.");
    }
    Optional<Contexts> contexts = in.part(7, RecordCodec::contexts);
    Optional<VolumeUse> leaving = in.part(8, RecordCodec::usage);
    if (leaving.isPresent() && !targets.isEmpty()) {
      throw new MalformedRecordException("It has both a last use and other uses.");
    }
    SortedMap<VolumeUse, String> abandoned = abandoned(in, 9);
    SortedSet<VolumeUse> answered = answered(in, 10);
    VolumeRecord volume =
        new VolumeRecord(
            identity,
            contexts.map(known -> plan.attached(known.attached())).orElse(plan),
            place,
            staging,
            targets,
            contexts.map(known -> byUses(targets, known.given())).orElseGet(TreeMap::new),
            leaving,
            abandoned,
            answered,
            in.rest(10));
    if (hasClaims != volume.isClaimed()) {
      throw new MalformedRecordException("It has the format for claims, but no claim.");
    }
    return volume;
  }

  /**
   * Encodes a tombstone.
   *
   * @throws StateException if the tombstone has too many uses, as for a volume
   */
  public static StateValue encode(Tombstone tombstone) {
    FieldWriter out = head(FORMAT, tombstone.identity(), tombstone.plan(), tombstone.place());
    tombstone.targets().forEach(target -> out.part(5, usage(target)));
    tombstone.abandoned().forEach((use, reason) -> out.part(6, abandoned(use, reason)));
    out.flag(7, tombstone.isUnsettled());
    tombstone.answered().forEach(use -> out.part(8, usage(use)));
    return value(out, tombstone.identity(), tombstone.targets().size());
  }

  /**
   * Decodes a tombstone. A tombstone is never rewritten, so fields of a newer version can be
   * skipped.
   */
  public static Tombstone decodeTombstone(StateValue value) throws MalformedRecordException {
    FieldReader in = new FieldReader(value.bytes());
    in.format(FORMAT);
    VolumeIdentity identity = in.required(2, RecordCodec::identity);
    Plan plan = in.required(3, Plan::read);
    Place place = in.required(4, RecordCodec::place);
    List<VolumeUse> targets = in.parts(5, RecordCodec::usage);
    SortedMap<VolumeUse, String> abandoned = abandoned(in, 6);
    boolean isUnsettled = in.flag(7);
    SortedSet<VolumeUse> answered = answered(in, 8);
    in.rest(8);
    return new Tombstone(identity, plan, place, targets, abandoned, isUnsettled, answered);
  }

  // ---- writing

  private static FieldWriter head(int format, VolumeIdentity identity, Plan plan, Place place) {
    return new FieldWriter()
        .number(1, format)
        .part(
            2,
            new FieldWriter().text(1, identity.plugin().value()).text(2, identity.handle().value()))
        .part(3, plan.fields())
        .part(4, new FieldWriter().text(1, place.boot()).number(2, place.mountNamespace()));
  }

  private static FieldWriter usage(VolumeUse usage) {
    return new FieldWriter()
        .text(1, usage.volume().namespace().value())
        .text(2, usage.volume().id())
        .text(3, usage.workload().value());
  }

  private static FieldWriter abandoned(VolumeUse usage, String reason) {
    return new FieldWriter().part(1, usage(usage)).text(2, reason);
  }

  private static FieldWriter path(PathRecord path) {
    FieldWriter out = new FieldWriter().number(1, number(path.status()));
    path.pending()
        .ifPresent(
            pending ->
                out.part(
                    2,
                    new FieldWriter()
                        .number(1, number(pending.verb()))
                        .text(2, pending.instance())));
    path.evidence()
        .ifPresent(
            evidence ->
                out.part(
                    3,
                    new FieldWriter()
                        .text(1, evidence.ref())
                        .text(2, evidence.type())
                        .text(3, evidence.source())
                        .text(4, evidence.root())
                        .flag(5, evidence.readOnly())));
    return out;
  }

  private static StateValue value(FieldWriter out, VolumeIdentity identity, int uses) {
    byte[] bytes = out.bytes();
    if (bytes.length > StateValue.MAX_SIZE) {
      throw new StateException(
          StateException.Reason.STATE_VALUE_TOO_LARGE,
          "Remembering "
              + identity
              + " failed: with "
              + uses
              + " uses it takes "
              + bytes.length
              + " bytes, and at most "
              + StateValue.MAX_SIZE
              + " are kept. Use it less often on this node, or with shorter names.");
    }
    return StateValue.of(bytes);
  }

  // ---- reading

  /**
   * The digests of the contexts in a record.
   *
   * @param attached the digest of the context that attaching the volume returned; empty if it is
   *     not known
   * @param given the digests of the volume contexts with which uses were published
   */
  private record Contexts(String attached, SortedMap<VolumeUse, String> given) {}

  /** A text that belongs to one use. */
  private record Note(VolumeUse usage, String text) {}

  private static VolumeIdentity identity(FieldReader in) throws MalformedRecordException {
    return RecordBytes.checked(
        "identity", () -> new VolumeIdentity(PluginId.of(in.text(1)), VolumeId.of(in.text(2))));
  }

  private static Place place(FieldReader in) throws MalformedRecordException {
    return new Place(in.text(1), in.number(2));
  }

  private static TargetRecord target(FieldReader in, boolean hasClaims)
      throws MalformedRecordException {
    VolumeUse usage = in.required(1, RecordCodec::usage);
    boolean readOnly = in.flag(2);
    PathRecord path = in.required(3, RecordCodec::path);
    ClaimMark claim =
        hasClaims
            ? RecordBytes.checked("claim", () -> new ClaimMark(in.number(4), in.flag(5)))
            : ClaimMark.NONE;
    return new TargetRecord(usage, readOnly, path, claim);
  }

  private static Contexts contexts(FieldReader in) throws MalformedRecordException {
    String attached = in.text(1);
    String otherwise = "The contexts are not in order, or one is empty.";
    SortedMap<VolumeUse, String> given = notes(in, 2, otherwise);
    if (given.containsValue("")) {
      throw new MalformedRecordException(otherwise);
    }
    if (given.isEmpty() && attached.isEmpty()) {
      throw new MalformedRecordException("It has a part for contexts, which is empty.");
    }
    return new Contexts(attached, given);
  }

  /**
   * Returns the texts with the use objects of the targets as keys, so that the record does not hold
   * two objects for one use.
   */
  private static SortedMap<VolumeUse, String> byUses(
      SortedMap<VolumeUse, TargetRecord> targets, SortedMap<VolumeUse, String> texts) {
    SortedMap<VolumeUse, String> same = new TreeMap<>();
    texts.forEach(
        (use, text) -> {
          TargetRecord target = targets.get(use);
          same.put(target == null ? use : target.usage(), text);
        });
    return same;
  }

  private static SortedSet<VolumeUse> answered(FieldReader in, int field)
      throws MalformedRecordException {
    SortedSet<VolumeUse> answered = new TreeSet<>();
    for (VolumeUse use : in.parts(field, RecordCodec::usage)) {
      if (!answered.isEmpty() && answered.last().compareTo(use) >= 0) {
        throw new MalformedRecordException("The answered uses are not in order.");
      }
      answered.add(use);
    }
    return answered;
  }

  private static SortedMap<VolumeUse, String> abandoned(FieldReader in, int field)
      throws MalformedRecordException {
    return notes(in, field, "The abandoned uses are not in order.");
  }

  private static SortedMap<VolumeUse, String> notes(FieldReader in, int field, String otherwise)
      throws MalformedRecordException {
    SortedMap<VolumeUse, String> notes = new TreeMap<>();
    for (Note note : in.parts(field, RecordCodec::note)) {
      RecordBytes.add(notes, note.usage(), note.text(), otherwise);
    }
    return notes;
  }

  private static Note note(FieldReader in) throws MalformedRecordException {
    return new Note(in.required(1, RecordCodec::usage), in.text(2));
  }

  private static VolumeUse usage(FieldReader in) throws MalformedRecordException {
    return RecordBytes.checked(
        "usage",
        () ->
            VolumeUse.of(
                VolumeKey.of(Namespace.of(in.text(1)), in.text(2)), WorkloadId.of(in.text(3))));
  }

  private static PathRecord path(FieldReader in) throws MalformedRecordException {
    return new PathRecord(
        FieldReader.named("status", PathStatus.values(), RecordCodec::number, in.number(1)),
        in.part(2, RecordCodec::pending),
        in.part(3, RecordCodec::evidence));
  }

  private static Pending pending(FieldReader in) throws MalformedRecordException {
    return new Pending(
        FieldReader.named("verb", Verb.values(), RecordCodec::number, in.number(1)), in.text(2));
  }

  private static Evidence evidence(FieldReader in) throws MalformedRecordException {
    return new Evidence(in.text(1), in.text(2), in.text(3), in.text(4), in.flag(5));
  }

  // ---- the numbers of enum constants in records, which never change

  private static int number(PathStatus status) {
    return switch (status) {
      case NONE -> 0;
      case IN_DOUBT -> 1;
      // A record never says that a mount is dead: this is determined again after each start.
      case PRESENT, DEAD -> 2;
      case GOING -> 3;
    };
  }

  private static int number(Verb verb) {
    return switch (verb) {
      case STAGE -> 1;
      case PUBLISH -> 2;
      case UNPUBLISH -> 3;
      case UNSTAGE -> 4;
    };
  }
}
