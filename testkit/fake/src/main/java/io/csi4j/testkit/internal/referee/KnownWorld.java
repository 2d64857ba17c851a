package io.csi4j.testkit.internal.referee;

import com.google.protobuf.Descriptors.FieldDescriptor;
import io.csi4j.client.internal.redaction.SpecFields;
import io.csi4j.client.internal.text.FieldLimits;
import io.csi4j.client.internal.text.SafeText;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.testkit.internal.referee.KnownOffers.Part;
import io.csi4j.testkit.journal.JournalEvent;
import io.csi4j.testkit.journal.RecordedCall;
import io.csi4j.testkit.journal.WireMessage;
import io.csi4j.testkit.model.PluginShape;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The information about the plugin's volumes, snapshots and nodes that a caller can have at one
 * moment, from its requests and the answers.
 */
final class KnownWorld {

  /**
   * A snapshot as reported by the last answer. The group is {@code ""} if the snapshot belongs to
   * no group, and the size is 0 if the plugin did not report it.
   */
  record Snapshot(String id, String source, String group, boolean ready, long size, long seconds) {
    static Snapshot from(WireMessage told, String group) {
      return new Snapshot(
          told.text("snapshot_id"),
          told.text("source_volume_id"),
          group,
          told.flag("ready_to_use"),
          told.number("size_bytes"),
          told.message("creation_time").number("seconds"));
    }
  }

  final KnownOffers offers = new KnownOffers();
  private final Map<String, KnownVolume> volumes = new HashMap<>();
  final Map<String, Snapshot> snapshots = new HashMap<>();

  /** The members of each group snapshot in an answer, by the id of the group. */
  final Map<String, Set<String>> groups = new HashMap<>();

  /** The last answer of NodeGetInfo for each node, by the node id in the answer. */
  final Map<String, WireMessage> nodes = new HashMap<>();

  private final Map<String, Set<String>> nodeIds = new HashMap<>();
  private final Map<String, Set<String>> attachedTo = new HashMap<>();
  private final Map<String, Set<String>> usedOn = new HashMap<>();

  /**
   * Nodes to which volumes are attached, according to the answers of ListVolumes and
   * ControllerGetVolume.
   */
  final Set<String> listedNodes = new HashSet<>();

  /** Texts and maps in answers that exceed the size limits for requests. */
  final Set<Object> tooLong = new HashSet<>();

  private @Nullable Boolean complete;
  private boolean called;
  private long deletions;

  /** Shape of the plugin. A shape without quirks is assumed until an event contains the shape. */
  private PluginShape shape;

  KnownWorld() {
    this(PluginShape.nodeOnly());
  }

  KnownWorld(PluginShape quirks) {
    shape = quirks;
  }

  /** Returns whether a call publishes an inline volume, which the plugin creates with this call. */
  boolean isInline(RecordedCall call) {
    return shape.isInline(call.request().map("volume_context"));
  }

  /**
   * Returns a shape with the quirks of the plugin. Use {@code offers} instead for the capabilities.
   */
  PluginShape quirks() {
    return shape;
  }

  /** Returns whether the journal contains all calls since the first start of the plugin. */
  boolean isComplete() {
    return Boolean.TRUE.equals(complete);
  }

  KnownVolume volume(String id) {
    return volumes.computeIfAbsent(id, KnownVolume::new);
  }

  /** Returns the volume; null if no earlier call or answer named it. */
  @Nullable KnownVolume knownVolume(String id) {
    return volumes.get(id);
  }

  /** Returns the node ids that the plugin has returned on the socket of a node. */
  Set<String> nodeIds(String node) {
    return nodeIds.getOrDefault(node, Set.of());
  }

  Set<String> attachedTo(String nodeId) {
    return attachedTo.getOrDefault(nodeId, Set.of());
  }

  /** Returns the volumes that are certainly staged or published on a node. */
  Set<String> usedOn(String node) {
    return usedOn.getOrDefault(node, Set.of());
  }

  /** Returns the attachment of a volume to the node whose socket received a call. */
  TrackedUse attachmentHere(KnownVolume volume, String node) {
    for (String id : nodeIds(node)) {
      TrackedUse thing = volume.attachments.get(id);
      if (thing != null && thing.possible()) {
        return thing;
      }
    }
    return volume.attachment(node);
  }

  /**
   * Returns a number that grows whenever an object on which the call can depend has changed, or may
   * have changed.
   */
  long changes(RecordedCall call) {
    String id = WireFields.volume(call);
    return id.isEmpty() ? deletions + changesOfSources(call) : volume(id).changes;
  }

  /** Returns the number of changes of the volumes from which the call creates snapshots. */
  private long changesOfSources(RecordedCall call) {
    return Stream.concat(
            Stream.of(WireFields.text(call, "source_volume_id")),
            WireFields.texts(call, "source_volume_ids").stream())
        .map(volumes::get)
        .filter(Objects::nonNull)
        .mapToLong(volume -> volume.changes)
        .sum();
  }

  void happened(JournalEvent event) {
    if (complete == null) {
      complete = event instanceof JournalEvent.Started || event instanceof JournalEvent.Began;
    }
    if (event instanceof JournalEvent.Began began && !called) {
      // The numbers of calls continue when a journal is cleared, so the first call of a complete
      // journal has the number 1.
      called = true;
      complete &= began.call().number() == 1;
    }
    if (event instanceof JournalEvent.Started started) {
      shape = started.shape();
      offers.shaped(started.shape());
    } else if (event instanceof JournalEvent.Forgot) {
      volumes.values().forEach(volume -> volume.things().forEach(TrackedUse::unknown));
      attachedTo.clear();
      usedOn.clear();
    } else if (event instanceof JournalEvent.Worked worked) {
      worked(worked.call());
    }
  }

  void began(RecordedCall call) {
    String id = WireFields.volume(call);
    if (id.isEmpty()) {
      return;
    }
    KnownVolume volume = volume(id);
    switch (call.operation()) {
      case CONTROLLER_PUBLISH_VOLUME, NODE_STAGE_VOLUME, NODE_PUBLISH_VOLUME ->
          use(volume, call).making();
      case CONTROLLER_UNPUBLISH_VOLUME, NODE_UNSTAGE_VOLUME, NODE_UNPUBLISH_VOLUME ->
          undone(volume, call).forEach(TrackedUse::undoing);
      case CONTROLLER_EXPAND_VOLUME -> volume.expanded = true;
      case NODE_EXPAND_VOLUME -> volume.pendingExpansion = null;
      default -> {}
    }
  }

  void ended(RecordedCall call) {
    CallOutcome outcome = CallOutcome.of(call);
    String id = WireFields.volume(call);
    if (!id.isEmpty()) {
      volumeEnded(volume(id), call, outcome);
    }
    if (outcome == CallOutcome.OK) {
      call.answer().ifPresent(answer -> answered(call, answer));
    }
  }

  private void volumeEnded(KnownVolume volume, RecordedCall call, CallOutcome outcome) {
    switch (call.operation()) {
      case CONTROLLER_PUBLISH_VOLUME, NODE_STAGE_VOLUME, NODE_PUBLISH_VOLUME ->
          use(volume, call).made(call);
      case CONTROLLER_UNPUBLISH_VOLUME, NODE_UNSTAGE_VOLUME, NODE_UNPUBLISH_VOLUME ->
          undone(volume, call).forEach(thing -> thing.undone(call));
      case DELETE_VOLUME -> {
        if (outcome == CallOutcome.OK) {
          volume.deleted();
        }
      }
      case VALIDATE_VOLUME_CAPABILITIES -> volume.validated |= outcome == CallOutcome.OK;
      default -> {}
    }
    if (outcome != CallOutcome.REFUSED) {
      changed(volume, call);
    }
    count(volume, call);
  }

  private void changed(KnownVolume volume, RecordedCall call) {
    switch (call.operation()) {
      case NODE_GET_VOLUME_STATS,
          NODE_GET_VOLUME_HEALTH,
          VALIDATE_VOLUME_CAPABILITIES,
          CONTROLLER_GET_VOLUME,
          CONTROLLER_GET_VOLUME_HEALTH -> {}
      default -> {
        volume.changes++;
        deletions += call.operation() == CsiOperation.DELETE_VOLUME ? 1 : 0;
      }
    }
    if (call.operation() == CsiOperation.NODE_PUBLISH_VOLUME
        && call.ok()
        && volume.pendingExpansion != null) {
      volume.usedWhilePending = true;
    }
  }

  private void count(KnownVolume volume, RecordedCall call) {
    String node = WireFields.node(call);
    member(
        usedOn,
        node,
        volume.id,
        volume.stagings.any(node, TrackedUse::standing)
            || volume.publications.any(node, TrackedUse::standing));
    if (WireFields.knows(call, "node_id") || call.operation() == CsiOperation.DELETE_VOLUME) {
      volume.attachments.forEach(
          (id, thing) -> member(attachedTo, id, volume.id, thing.standing()));
    }
  }

  private static void member(
      Map<String, Set<String>> sets, String key, String member, boolean belongs) {
    if (belongs) {
      sets.computeIfAbsent(key, none -> new LinkedHashSet<>()).add(member);
    } else if (sets.containsKey(key)) {
      sets.get(key).remove(member);
    }
  }

  private void worked(RecordedCall call) {
    String id = WireFields.volume(call);
    if (id.isEmpty() || call.ended().isEmpty()) {
      return;
    }
    switch (call.operation()) {
      case CONTROLLER_PUBLISH_VOLUME, NODE_STAGE_VOLUME, NODE_PUBLISH_VOLUME ->
          use(volume(id), call).worked(call);
      case CONTROLLER_UNPUBLISH_VOLUME, NODE_UNSTAGE_VOLUME, NODE_UNPUBLISH_VOLUME ->
          undone(volume(id), call).forEach(TrackedUse::undoing);
      default -> {}
    }
  }

  /** Returns the attachment, staging or publication that a call creates or removes. */
  private static TrackedUse use(KnownVolume volume, RecordedCall call) {
    String node = WireFields.node(call);
    return switch (call.operation()) {
      case CONTROLLER_PUBLISH_VOLUME, CONTROLLER_UNPUBLISH_VOLUME ->
          volume.attachment(WireFields.text(call, "node_id"));
      case NODE_STAGE_VOLUME, NODE_UNSTAGE_VOLUME ->
          volume.stagings.use(node, WireFields.text(call, "staging_target_path"));
      default -> volume.publications.use(node, WireFields.text(call, "target_path"));
    };
  }

  private static List<TrackedUse> undone(KnownVolume volume, RecordedCall call) {
    boolean everywhere =
        call.operation() == CsiOperation.CONTROLLER_UNPUBLISH_VOLUME
            && WireFields.text(call, "node_id").isEmpty();
    return everywhere ? List.copyOf(volume.attachments.values()) : List.of(use(volume, call));
  }

  private void answered(RecordedCall call, WireMessage answer) {
    WireFields.walk(answer, WireFields.answerType(call.operation()), this::note);
    offers.answered(call, answer);
    switch (call.operation()) {
      case CREATE_VOLUME -> created(call, answer.message("volume"));
      case CONTROLLER_PUBLISH_VOLUME ->
          use(volume(WireFields.volume(call)), call).contexts().add(answer.map("publish_context"));
      case CONTROLLER_EXPAND_VOLUME -> expanded(call, answer);
      case CONTROLLER_GET_VOLUME -> told(answer);
      case LIST_VOLUMES -> answer.messages("entries").forEach(this::told);
      case CREATE_SNAPSHOT -> snapshot(answer.message("snapshot"), true);
      case GET_SNAPSHOT -> snapshot(answer.message("snapshot"), false);
      case LIST_SNAPSHOTS ->
          answer.messages("entries").forEach(entry -> snapshot(entry.message("snapshot"), false));
      case CREATE_VOLUME_GROUP_SNAPSHOT -> group(answer.message("group_snapshot"), true);
      case GET_VOLUME_GROUP_SNAPSHOT -> group(answer.message("group_snapshot"), false);
      case DELETE_SNAPSHOT -> {
        snapshots.remove(WireFields.text(call, "snapshot_id"));
        deletions++;
      }
      case DELETE_VOLUME_GROUP_SNAPSHOT -> {
        groups.remove(WireFields.text(call, "group_snapshot_id"));
        WireFields.texts(call, "snapshot_ids").forEach(snapshots::remove);
        deletions++;
      }
      case NODE_GET_INFO -> node(call, answer);
      default -> {}
    }
  }

  private void created(RecordedCall call, WireMessage told) {
    String id = told.text("volume_id");
    if (id.isEmpty()) {
      return;
    }
    KnownVolume volume = volume(id);
    if (volume.deleted) {
      volume.contexts.clear();
      volume.topology.clear();
    }
    volume.created = call;
    volume.deleted = false;
    volume.contexts.add(told.map("volume_context"));
    volume.topology.addAll(told.messages("accessible_topology"));
  }

  private void told(WireMessage entry) {
    WireMessage told = entry.message("volume");
    KnownVolume volume = volume(told.text("volume_id"));
    // The answer to the creation contains the context, but a listing may omit it.
    if (told.has("volume_context")) {
      volume.contexts.add(told.map("volume_context"));
    }
    // The spec binds a caller only to the topology that the creation returned. A later answer may
    // contain another topology, because the volume may have moved.
    if (!volume.topology.isEmpty()) {
      volume.topology.addAll(told.messages("accessible_topology"));
    }
    for (String node : entry.message("status").texts("published_node_ids")) {
      listedNodes.add(node);
      volume.attachment(node).told();
    }
  }

  private void expanded(RecordedCall call, WireMessage answer) {
    KnownVolume volume = volume(WireFields.volume(call));
    if (answer.flag("node_expansion_required")) {
      volume.pendingExpansion = call;
      volume.usedWhilePending = volume.publications.somewhere();
    }
  }

  /**
   * Records a snapshot from an answer. The group from the creation or from the first answer is
   * kept, because a listing may omit the group.
   */
  private void snapshot(WireMessage told, boolean created) {
    Snapshot earlier = snapshots.get(told.text("snapshot_id"));
    String group = created || earlier == null ? told.text("group_snapshot_id") : earlier.group();
    snapshots.put(told.text("snapshot_id"), Snapshot.from(told, group));
  }

  private void group(WireMessage told, boolean created) {
    String id = told.text("group_snapshot_id");
    List<String> members = new ArrayList<>();
    for (WireMessage member : told.messages("snapshots")) {
      snapshot(member, created);
      members.add(member.text("snapshot_id"));
    }
    if (!id.isEmpty()) {
      groups.put(id, Set.copyOf(members));
    }
  }

  private void node(RecordedCall call, WireMessage answer) {
    String id = answer.text("node_id");
    nodes.put(id, answer);
    nodeIds.computeIfAbsent(WireFields.node(call), none -> new LinkedHashSet<>()).add(id);
  }

  private void note(WireMessage message, FieldDescriptor field) {
    String name = SpecFields.name(field);
    if (field.isMapField()) {
      if (SafeText.utf8Length(message.map(name)) > FieldLimits.MAP) {
        tooLong.add(message.map(name));
      }
      return;
    }
    List<String> texts = field.isRepeated() ? message.texts(name) : List.of(message.text(name));
    texts.stream()
        .filter(text -> SafeText.utf8Length(text) > FieldLimits.TEXT)
        .forEach(tooLong::add);
  }

  boolean needsAttachment() {
    return offers.has(Part.CONTROLLER, "", "PUBLISH_UNPUBLISH_VOLUME");
  }

  boolean needsStaging(String node) {
    return offers.has(Part.NODE, node, "STAGE_UNSTAGE_VOLUME");
  }
}
