package io.csi4j.conformance.internal.plugin;

import static io.csi4j.conformance.internal.plugin.LawfulRequests.*;
import static io.csi4j.conformance.internal.plugin.TestThings.*;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import com.google.protobuf.TextFormat;
import io.csi4j.client.internal.proto.Volume;
import io.csi4j.client.internal.proto.VolumeCapability.AccessMode.Mode;
import io.csi4j.client.internal.proto.VolumeCapability.AccessTypeCase;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.StatusCode;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The call that decides the verdict of a case. It is parsed from the case's row, such as {@code
 * NodePublishVolume of published-volume as elsewhere without target_path with readonly: true}. Only
 * the operation is required. The request is valid, except for the modifications after its subject.
 *
 * @param operation the call
 * @param subject the object of the call, a key of {@link #SUBJECTS}; empty if the call concerns no
 *     object
 * @param changes the modifications of the request, keys of {@link #CHANGES}
 * @param lacks the field to omit from the request; empty for none
 * @param fields the fields to set to other values; a row contains them in protobuf's text format
 */
record CaseCall(
    CsiOperation operation, String subject, List<String> changes, String lacks, Message fields) {

  private static final Pattern FORM =
      Pattern.compile(
          "(\\w+)(?: of ([\\w-]+))?(?: as ([\\w -]+?))?(?: without (\\w+))?(?: with (.+))?");

  private static final Map<String, Function<Trial, Message>> SUBJECTS =
      Map.ofEntries(
          Map.entry("", t -> Volume.getDefaultInstance()),
          Map.entry("no-volume", t -> NO_SUCH_VOLUME),
          Map.entry("volume", TestThings::volume),
          Map.entry("new-volume", TestThings::create),
          Map.entry("deleted-volume", TestThings::deletedVolume),
          Map.entry("attached-volume", TestThings::attachedVolume),
          Map.entry("new-attached-volume", t -> attached(t, create(t))),
          Map.entry("staged-volume", t -> staged(t, volume(t))),
          Map.entry("published-volume", TestThings::publishedVolume),
          Map.entry(
              "published-filesystem",
              t -> published(t, volume(t, capability(t, AccessTypeCase.MOUNT)))),
          Map.entry(
              "published-for-several-writers",
              t -> publishedInMode(t, Mode.SINGLE_NODE_MULTI_WRITER)),
          Map.entry(
              "published-for-one-writer", t -> publishedInMode(t, Mode.SINGLE_NODE_SINGLE_WRITER)),
          Map.entry("no-snapshot", t -> NO_SUCH_SNAPSHOT),
          Map.entry("snapshot", t -> snapshot(t, create(t))),
          Map.entry("deleted-snapshot", TestThings::deletedSnapshot),
          Map.entry("block-snapshot", MetadataCases::blockSnapshot),
          Map.entry("two-snapshots", MetadataCases::toReadDeltaOfTwo),
          Map.entry(
              "snapshots-of-two-volumes",
              t ->
                  MetadataCases.toReadDelta(
                      t, MetadataCases.blockSnapshot(t), MetadataCases.blockSnapshot(t))),
          Map.entry("no-group", t -> NO_SUCH_GROUP),
          Map.entry("group", TestThings::group),
          Map.entry("deleted-group", TestThings::deletedGroup));

  private static final Map<String, BiConsumer<Trial, Message.Builder>> CHANGES =
      Map.of(
          "for-no-node", (t, request) -> set(request, "node_id", NO_SUCH_NODE),
          "bigger", (t, request) -> set(request, "capacity_range", atLeast(bigger(t))),
          "other-capability", (t, request) -> set(request, "volume_capability", otherCapability(t)),
          "other-mode", (t, request) -> set(request, "volume_capability", otherMode(t)),
          "block",
              (t, request) ->
                  set(request, "volume_capability", capability(t, AccessTypeCase.BLOCK)),
          "elsewhere", (t, request) -> set(request, "target_path", t.paths().target("target-2")),
          "nowhere", (t, request) -> set(request, "volume_path", t.paths().target("nowhere")),
          "with-no-volume",
              (t, request) ->
                  request.addRepeatedField(
                      field(request, "source_volume_ids"), NO_SUCH_VOLUME.getVolumeId()));

  /** Copies the changes. */
  CaseCall {
    changes = List.copyOf(changes);
  }

  /** Parses the text in a cell of the table. */
  static CaseCall of(String cell) {
    Matcher parts = FORM.matcher(cell);
    String refusal = "No call of cases.tsv is: " + cell;
    if (!parts.matches()) {
      throw new IllegalStateException(refusal);
    }
    CsiOperation operation = CsiOperation.ofRpcName(parts.group(1)).orElseThrow();
    Message.Builder fields = RawPlugin.request(operation).newBuilderForType();
    String subject = part(parts, 2);
    List<String> changes = Suite.words(part(parts, 3)).toList();
    String lacks = part(parts, 4);
    if (!SUBJECTS.containsKey(subject)
        || !CHANGES.keySet().containsAll(changes)
        || (!lacks.isEmpty() && fields.getDescriptorForType().findFieldByName(lacks) == null)) {
      throw new IllegalStateException(refusal);
    }
    try {
      TextFormat.merge(part(parts, 5), fields);
    } catch (TextFormat.ParseException e) {
      throw new IllegalStateException(refusal, e);
    }
    return new CaseCall(operation, subject, changes, lacks, fields.build());
  }

  private static String part(Matcher parts, int number) {
    return Objects.requireNonNullElse(parts.group(number), "");
  }

  /**
   * Returns the steps of a case whose verdict depends on the result of this call. With {@code
   * best}, any other result leads to advice. With {@code rather}, the first code is best, and the
   * other codes lead to advice.
   *
   * @param ends the keyword, followed by a colon and the codes
   */
  Consumer<Trial> steps(String ends) {
    String[] parts = ends.split(": ", 2);
    StatusCode[] codes =
        parts.length == 1
            ? new StatusCode[0]
            : Arrays.stream(parts[1].split(" "))
                .map(StatusCode::valueOf)
                .toArray(StatusCode[]::new);
    return switch (parts[0]) {
      case "succeeds" -> t -> t.ok(request(t));
      case "succeeds twice" -> t -> t.okTwice(request(t));
      case "at once" -> t -> ConcurrencyCases.twiceAtOnceAndAgain(t, request(t));
      case "fails" -> t -> fails(t, "fails");
      case "fails with" -> t -> t.refused(request(t), codes);
      case "fails, best with" ->
          t -> t.adviseUnless(fails(t, "fails with " + Trial.words(codes)), codes);
      case "fails, rather with" ->
          t -> {
            Reply reply = t.call(request(t));
            boolean isLawful = List.of(codes).contains(reply.code());
            t.check(isLawful, reply, "fails with " + Trial.words(codes[0]));
            t.adviseUnless(reply, codes[0]);
          };
      case "best" -> t -> t.best(request(t), codes);
      case "required" -> this::isRequired;
      case "unknown" -> t -> isUnknown(t, codes[0]);
      case "unknown, if taken" -> t -> isUnknownIfTaken(t, codes[0]);
      default -> throw new IllegalStateException("No call of cases.tsv ends: " + ends);
    };
  }

  private Message request(Trial t) {
    return request(t, subject);
  }

  private Message request(Trial t, String about) {
    return request(t, Objects.requireNonNull(SUBJECTS.get(about)).apply(t));
  }

  private Message request(Trial t, Message about) {
    Message.Builder request =
        operation == CsiOperation.CREATE_VOLUME
            ? toCreate(t, about)
            : to(t, RawPlugin.request(operation).newBuilderForType(), about);
    changes.forEach(each -> Objects.requireNonNull(CHANGES.get(each)).accept(t, request));
    fields.getAllFields().forEach(request::setField);
    if (!lacks.isEmpty()) {
      request.clearField(field(request, lacks));
    }
    return request.build();
  }

  private static FieldDescriptor field(Message.Builder request, String name) {
    return request.getDescriptorForType().findFieldByName(name);
  }

  private static void set(Message.Builder request, String field, Object value) {
    request.setField(field(request, field), value);
  }

  private Reply fails(Trial t, String expected) {
    Reply reply = t.call(request(t));
    t.check(!reply.isOk(), reply, expected);
    return reply;
  }

  private void isRequired(Trial t) {
    Reply reply = t.call(request(t));
    // No object has an empty id, so the error tables of the calls require NOT_FOUND for an empty
    // id.
    t.check(
        reply.code() == StatusCode.INVALID_ARGUMENT
            || (reply.code() == StatusCode.NOT_FOUND && lacks.endsWith("_id")),
        reply,
        "without " + lacks + " fails with " + Trial.words(StatusCode.INVALID_ARGUMENT));
    t.adviseUnless(reply, StatusCode.INVALID_ARGUMENT);
  }

  private void isUnknown(Trial t, StatusCode code) {
    boolean isMade =
        Need.CREATE.met(t) && (!subject.equals("no-snapshot") || Need.SNAPSHOTS.met(t));
    isUnknown(
        t, code, request(t), isMade ? () -> request(t, subject.replace("no-", "deleted-")) : null);
  }

  /**
   * Fails unless a call for a nonexistent object ends with {@code code}. If the plugin recognizes
   * that the id is not one of its own, it may answer INVALID_ARGUMENT. Then a call for a deleted
   * object must end with {@code code}.
   *
   * @param deleted the call for a deleted object; null if no such object can be created
   */
  static void isUnknown(
      Trial t, StatusCode code, Message unknown, @Nullable Supplier<Message> deleted) {
    Reply reply = t.call(unknown);
    String ends = "ends with " + Trial.words(code);
    t.check(reply.code() == code || reply.code() == StatusCode.INVALID_ARGUMENT, reply, ends);
    if (reply.code() == StatusCode.INVALID_ARGUMENT && deleted != null) {
      Reply gone = t.call(deleted.get());
      t.check(gone.code() == code, gone, ends);
    }
  }

  /**
   * Checks a call for a nonexistent volume. If the plugin refuses the same call for an existing
   * volume, the case ends without a verdict: the plugin may check other fields before it searches
   * for the volume.
   */
  private void isUnknownIfTaken(Trial t, StatusCode code) {
    Reply reply = t.call(request(t));
    t.check(!reply.isOk(), reply, "ends with " + Trial.words(code));
    if (reply.code() == code) {
      return;
    }
    Volume volume = Need.CREATE.met(t) ? create(t) : volume(t);
    t.checkTaken(request(t, volume));
    if (operation == CsiOperation.CONTROLLER_PUBLISH_VOLUME) {
      // The volume is detached first, because an attached volume cannot be deleted.
      t.prepare(toDetach(t, volume));
    }
    // The plugin accepts the request for the existing volume. The following requests differ from it
    // only in the volume.
    Volume unknown = volume.toBuilder().setVolumeId(NO_SUCH_VOLUME.getVolumeId()).build();
    isUnknown(
        t,
        code,
        request(t, unknown),
        Need.CREATE.met(t) ? () -> request(t, deleted(t, volume)) : null);
  }
}
