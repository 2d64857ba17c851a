package io.csi4j.conformance.internal.plugin;

import static io.csi4j.client.model.CsiOperation.*;
import static io.csi4j.client.model.StatusCode.*;
import static io.csi4j.conformance.internal.plugin.Spoiling.changed;
import static io.csi4j.conformance.internal.plugin.Spoiling.changing;
import static io.csi4j.conformance.internal.plugin.Spoiling.instead;
import static io.csi4j.conformance.internal.plugin.Spoiling.recoding;
import static io.csi4j.conformance.internal.plugin.Spoiling.refusing;
import static io.csi4j.conformance.internal.plugin.Spoiling.refusingAfterwards;
import static io.csi4j.conformance.internal.plugin.Spoiling.when;

import com.google.protobuf.BoolValue;
import com.google.protobuf.Message;
import io.csi4j.client.identity.PluginCapability;
import io.csi4j.client.internal.proto.CapacityRange;
import io.csi4j.client.internal.proto.ControllerExpandVolumeRequest;
import io.csi4j.client.internal.proto.ControllerExpandVolumeResponse;
import io.csi4j.client.internal.proto.ControllerPublishVolumeRequest;
import io.csi4j.client.internal.proto.ControllerPublishVolumeResponse;
import io.csi4j.client.internal.proto.ControllerUnpublishVolumeRequest;
import io.csi4j.client.internal.proto.CreateSnapshotResponse;
import io.csi4j.client.internal.proto.CreateVolumeGroupSnapshotResponse;
import io.csi4j.client.internal.proto.CreateVolumeRequest;
import io.csi4j.client.internal.proto.CreateVolumeResponse;
import io.csi4j.client.internal.proto.DeleteSnapshotResponse;
import io.csi4j.client.internal.proto.GetCapacityRequest;
import io.csi4j.client.internal.proto.ListVolumesResponse;
import io.csi4j.client.internal.proto.NodeGetCapabilitiesResponse;
import io.csi4j.client.internal.proto.NodeGetVolumeStatsResponse;
import io.csi4j.client.internal.proto.NodePublishVolumeRequest;
import io.csi4j.client.internal.proto.NodePublishVolumeResponse;
import io.csi4j.client.internal.proto.NodeServiceCapability;
import io.csi4j.client.internal.proto.NodeStageVolumeRequest;
import io.csi4j.client.internal.proto.NodeStageVolumeResponse;
import io.csi4j.client.internal.proto.ProbeResponse;
import io.csi4j.client.internal.proto.ValidateVolumeCapabilitiesResponse;
import io.csi4j.client.internal.proto.VolumeCapability.AccessMode.Mode;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.Topology;
import io.csi4j.testkit.internal.backend.Backend.Asked;
import io.csi4j.testkit.internal.backend.Refusal;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.testkit.model.Quirk;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/** One way in which a plugin may be odd and still do all that the spec says with MUST. */
@SuppressWarnings("ImmutableEnumChecker") // a shape never changes
enum LawfulOddity implements Spoiling {
  AN_EXPANSION_LIMIT_BELOW_THE_SIZE_IS_OK(
      "controller/expand/*",
      call ->
          call.request() instanceof ControllerExpandVolumeRequest request
                  && request.getCapacityRange().getLimitBytes() == 1
              ? expandedTo(1L << 30)
              : call.pass()),
  ATTACHES_WITH_ANY_CAPABILITY(
      "controller/publish/*",
      instead(
          CONTROLLER_PUBLISH_VOLUME,
          ALREADY_EXISTS,
          ControllerPublishVolumeResponse.getDefaultInstance())),
  STAGES_WITH_ANY_CAPABILITY(
      "node/stage/*",
      instead(NODE_STAGE_VOLUME, ALREADY_EXISTS, NodeStageVolumeResponse.getDefaultInstance())),
  PUBLISHES_WITH_ANOTHER_ACCESS_MODE(
      "node/publish/*",
      call ->
          call.request() instanceof NodePublishVolumeRequest request
                  && request.getVolumeCapability().getAccessMode().getMode()
                      == Mode.MULTI_NODE_MULTI_WRITER
              ? instead(call, ALREADY_EXISTS, NodePublishVolumeResponse.getDefaultInstance())
              : call.pass()),
  PUBLISHES_A_SECOND_TARGET(
      "node/publish/second*",
      when(
          call -> call.is(NODE_PUBLISH_VOLUME) && call.text("target_path").endsWith("-2"),
          call ->
              instead(call, FAILED_PRECONDITION, NodePublishVolumeResponse.getDefaultInstance()))),
  KEEPS_STAGED_WHAT_IS_PUBLISHED(
      "node/unstage/*",
      call -> {
        String id =
            call.service() == CsiOperation.Service.NODE && call.has("volume_id")
                ? call.text("volume_id")
                : "";
        if (call.is(NODE_UNSTAGE_VOLUME) && call.memory().seen().contains(id)) {
          throw new Refusal(INTERNAL, "the device is busy");
        }
        List<Message> answer = call.pass();
        if (call.is(NODE_PUBLISH_VOLUME)) {
          call.memory().seen().add(id);
        } else if (call.is(NODE_UNPUBLISH_VOLUME)) {
          call.memory().seen().remove(id);
        }
        return answer;
      }),
  TELLS_NO_SIZES_AND_TAKES_ANY(
      "*size*",
      PluginShape.full().totalBytes(Long.MAX_VALUE).with(Quirk.CAPACITY_UNTOLD),
      call -> {
        if (call.request() instanceof CreateVolumeRequest request
            && request.getCapacityRange().getRequiredBytes() > 0
            && !request.hasVolumeContentSource()) {
          return call.without("capacity_range");
        }
        return grows(call, 1L << 50) ? expandedTo(0) : call.pass();
      }),
  TELLS_NO_SIZE_BUT_THE_ONE_ASKED_FOR(
      "controller/expand/*",
      PluginShape.full().with(Quirk.CAPACITY_UNTOLD),
      call -> {
        List<Message> answer = call.pass();
        return call.request() instanceof ControllerExpandVolumeRequest request
            ? expandedTo(request.getCapacityRange().getRequiredBytes())
            : answer;
      }),
  TELLS_THE_SIZES_OF_SNAPSHOTS_ALONE(
      "*source*",
      call ->
          changed(
              call.request() instanceof CreateVolumeRequest request
                      && request.getVolumeContentSource().hasSnapshot()
                      && request.getCapacityRange().getLimitBytes() > 0
                  ? call.without("capacity_range")
                  : call.pass(),
              CreateVolumeResponse.Builder.class,
              made -> made.getVolumeBuilder().clearCapacityBytes())),
  A_MISSING_STAGING_PATH_IS_A_MISSING_FIELD(
      "node/publish/*",
      refusing(
          call -> call.is(NODE_PUBLISH_VOLUME) && call.text("staging_target_path").isEmpty(),
          INVALID_ARGUMENT,
          "staging_target_path is missing")),
  NOTHING_HAS_AN_EMPTY_ID(
      "*",
      recoding(
          (call, refusal) ->
              refusal.code() == INVALID_ARGUMENT
                  && (refusal.text().contains("_id is REQUIRED")
                      || refusal.text().contains("_id is not set")),
          NOT_FOUND)),
  MAKES_NO_VOLUME_WITHOUT_A_SIZE(
      "controller/create/*",
      refusing(
          call ->
              call.request() instanceof CreateVolumeRequest request
                  && !request.getName().isEmpty()
                  && !request.hasCapacityRange(),
          OUT_OF_RANGE,
          "say how large")),
  A_TOKEN_OF_OTHERS_IS_AN_INVALID_FIELD(
      "*/list/*",
      call -> {
        try {
          return call.pass();
        } catch (Refusal e) {
          throw call.has("starting_token") && e.code() == ABORTED
              ? new Refusal(INVALID_ARGUMENT, "no token of mine")
              : e;
        }
      }),
  EXPANDS_TO_ANY_SIZE(
      "controller/expand/*",
      call ->
          grows(call, 1L << 50) && call.request() instanceof ControllerExpandVolumeRequest request
              ? expandedTo(request.getCapacityRange().getRequiredBytes())
              : call.pass()),
  KNOWS_ITS_OWN_IDS(
      "*unknown*",
      refusing(
          call -> call.request().toString().contains("\"csi4j-no-such-"),
          INVALID_ARGUMENT,
          "this is no id of mine")),
  HAS_NO_NODE_INFO("node/*", PluginShape.noAttach(), refusing(NODE_GET_INFO, UNIMPLEMENTED)),
  SNAPSHOTS_ARE_READY_LATER(
      "*snapshot*",
      call -> {
        Memory memory = call.memory();
        if (call.request() instanceof CreateVolumeRequest request
            && request.getVolumeContentSource().hasSnapshot()
            && memory
                .seen()
                .contains(request.getVolumeContentSource().getSnapshot().getSnapshotId())) {
          throw new Refusal(UNAVAILABLE, "the snapshot is still being processed");
        }
        List<Message> answer = call.pass();
        if (!(answer.get(0) instanceof CreateSnapshotResponse created)) {
          return answer;
        }
        String id = created.getSnapshot().getSnapshotId();
        boolean first = memory.answers().put(id, answer) == null;
        boolean unused = first ? memory.seen().add(id) : memory.seen().remove(id);
        return changed(
            answer,
            CreateSnapshotResponse.Builder.class,
            made -> made.getSnapshotBuilder().setReadyToUse(!first));
      }),
  NAMES_NO_SOURCE(
      "controller/create/*from*",
      changing(
          CreateVolumeResponse.Builder.class,
          made -> made.getVolumeBuilder().clearContentSource())),
  VOLUMES_ARE_EVERYWHERE(
      "topology/*",
      Shapes.PLACED,
      changing(
          CreateVolumeResponse.Builder.class,
          made -> made.getVolumeBuilder().clearAccessibleTopology())),
  TOPOLOGY_KEYS_IN_ANOTHER_CASE(
      "topology/*",
      Shapes.PLACED,
      changing(
          CreateVolumeResponse.Builder.class,
          made ->
              made.getVolumeBuilder()
                  .getAccessibleTopologyBuilderList()
                  .forEach(
                      place -> {
                        Map<String, String> segments = place.getSegmentsMap();
                        place.clearSegments();
                        segments.forEach(
                            (key, value) -> place.putSegments(key.toUpperCase(Locale.ROOT), value));
                      }))),
  DOES_NOT_LIKE_TO_BE_PROBED(
      "identity/probe/*",
      refusing(
          call -> call.is(PROBE) && call.memory().count().incrementAndGet() % 3 == 0,
          RESOURCE_EXHAUSTED,
          "once a minute is enough")),
  IS_NOT_READY(
      "identity/probe/*",
      call -> call.is(PROBE) ? notReady() : refusing(CREATE_VOLUME, INTERNAL).answer(call)),
  IS_NOT_WELL("identity/probe/*", refusing(PROBE, FAILED_PRECONDITION)),
  AN_EMPTY_PAGE_COMES_FIRST(
      "controller/list/*",
      when(
          LIST_VOLUMES,
          call ->
              switch (call.text("starting_token")) {
                case "" ->
                    List.of(ListVolumesResponse.newBuilder().setNextToken("after-nothing").build());
                case "after-nothing" -> call.without("starting_token");
                default -> call.pass();
              })),
  LISTS_NODES_THAT_ARE_GONE(
      "controller/list/*",
      changing(
          ListVolumesResponse.Builder.class,
          page ->
              page.getEntriesBuilderList()
                  .forEach(each -> each.getStatusBuilder().addPublishedNodeIds("a-node-of-old")))),
  CONFIRMS_MORE_THAN_WAS_ASKED(
      "controller/validate/*",
      changing(
          ValidateVolumeCapabilitiesResponse.Builder.class,
          validated -> {
            if (validated.hasConfirmed()) {
              validated
                  .getConfirmedBuilder()
                  .addVolumeCapabilities(
                      LawfulRequests.inMode(
                          validated.getConfirmed().getVolumeCapabilities(0),
                          Mode.MULTI_NODE_READER_ONLY));
            }
          })),
  DELETES_A_MEMBER_OF_A_GROUP(
      "snapshots/delete/*",
      when(
          call -> call.is(DELETE_SNAPSHOT) && !call.text("snapshot_id").isEmpty(),
          call -> instead(call, INVALID_ARGUMENT, DeleteSnapshotResponse.getDefaultInstance()))),
  SNAPSHOTS_NO_TWO_VOLUMES_TOGETHER(
      "groups/*",
      refusing(
          call ->
              call.is(CREATE_VOLUME_GROUP_SNAPSHOT)
                  && !call.text("name").isEmpty()
                  && !call.text("source_volume_ids").equals("[]"),
          FAILED_PRECONDITION,
          "not in this plugin")),
  CALLS_AT_ONCE_END_INTERNAL(
      "concurrency/*",
      // Of a list, ABORTED says that its token is not valid.
      recoding(
          (call, refusal) -> refusal.code() == ABORTED && !call.has("starting_token"), INTERNAL)),
  WHAT_IS_NOT_OFFERED_IS_UNKNOWN(
      "*not-implemented",
      PluginShape.plain(),
      recoding((call, refusal) -> refusal.code() == UNIMPLEMENTED, UNKNOWN)),
  TELLS_NO_USAGE(
      "node/stats/*", changing(NodeGetVolumeStatsResponse.Builder.class, stats -> stats.clear())),
  MEASURES_IN_A_UNIT_OF_THE_FUTURE(
      "node/stats/*",
      changing(
          NodeGetVolumeStatsResponse.Builder.class,
          stats -> stats.clear().addUsageBuilder().setUnitValue(3).setTotal(1))),
  HAS_CAPABILITIES_OF_THE_FUTURE(
      "*/capabilities/*",
      changing(
          NodeGetCapabilitiesResponse.Builder.class,
          answer ->
              answer
                  .addCapabilities(NodeServiceCapability.getDefaultInstance())
                  .addCapabilitiesBuilder()
                  .getRpcBuilder()
                  .setTypeValue(999))),
  TAKES_MORE_VOLUMES_THAN_IT_SAYS(
      "controller/publish/a-node*",
      PluginShape.full().maxVolumesPerNode(2),
      instead(
          CONTROLLER_PUBLISH_VOLUME,
          RESOURCE_EXHAUSTED,
          ControllerPublishVolumeResponse.getDefaultInstance())),
  GROWS_NOTHING_THAT_IS_PUBLISHED(
      "node/expand/*",
      refusingAfterwards(NODE_EXPAND_VOLUME, FAILED_PRECONDITION, "unmount it first")),
  TELLS_HEALTH_IN_TWO_WAYS("*/capabilities/*", PluginShape.full112And113(), Call::pass),
  LISTS_A_NODE_FOR_A_WHILE(
      "controller/unpublish/*",
      call -> {
        List<Message> answer = call.pass();
        if (call.is(CONTROLLER_PUBLISH_VOLUME)) {
          call.memory().seen().add(call.text("volume_id"));
        }
        return changed(
            answer,
            ListVolumesResponse.Builder.class,
            page ->
                page.getEntriesBuilderList().stream()
                    .filter(each -> call.memory().seen().contains(each.getVolume().getVolumeId()))
                    .map(each -> each.getStatusBuilder())
                    .filter(each -> !each.getPublishedNodeIdsList().contains("node-1"))
                    .forEach(each -> each.addPublishedNodeIds("node-1")));
      }),
  TAKES_ANY_PLACE_AS_VOLUMES_ARE_EVERYWHERE(
      "topology/*",
      Shapes.PLACED,
      when(
          CREATE_VOLUME,
          call ->
              changed(
                  call.without("accessibility_requirements"),
                  CreateVolumeResponse.Builder.class,
                  made -> made.getVolumeBuilder().clearAccessibleTopology()))),
  MAKES_NO_SMALL_VOLUMES(
      "controller/expand/*",
      PluginShape.full().without(PluginCapability.VOLUME_EXPANSION_ONLINE),
      LawfulOddity::withoutSmallVolumes),
  ABORTS_WHILE_A_SNAPSHOT_IS_PROCESSED("*snapshot*", call -> processed(CREATE_SNAPSHOT, call)),
  ABORTS_WHILE_A_GROUP_IS_PROCESSED(
      "groups/*", call -> processed(CREATE_VOLUME_GROUP_SNAPSHOT, call)),
  MAKES_NO_VOLUMES_OF_THE_NEWER_MODES(
      "node/publish/*",
      call -> {
        if (call.request() instanceof CreateVolumeRequest request
            && request.getVolumeCapabilitiesCount() > 0) {
          switch (request.getVolumeCapabilities(0).getAccessMode().getMode()) {
            case SINGLE_NODE_SINGLE_WRITER ->
                throw new Refusal(FAILED_PRECONDITION, "not this mode");
            case SINGLE_NODE_MULTI_WRITER ->
                throw new Refusal(RESOURCE_EXHAUSTED, "no more of this mode");
            default -> {}
          }
        }
        return call.pass();
      }),
  IS_READY_LATER(
      "controller/create/*",
      call -> {
        if (call.is(PROBE) && call.memory().count().incrementAndGet() < 3) {
          return notReady();
        }
        return call.memory().count().get() < 3
            ? refusing(CREATE_VOLUME, INTERNAL).answer(call)
            : call.pass();
      }),
  MAKES_NO_VOLUME_WITHOUT_PARAMETERS(
      "controller/create/*", refusing(CREATE_VOLUME, INVALID_ARGUMENT)),
  MAKES_NO_SNAPSHOT_WITHOUT_PARAMETERS(
      "snapshots/create/*", refusing(CREATE_SNAPSHOT, INVALID_ARGUMENT)),
  ATTACHES_NO_VOLUME_OF_THE_DESCRIPTION(
      "controller/publish/*",
      PluginShape.full().maxVolumesPerNode(2),
      call -> {
        List<Message> answer = call.pass();
        if (call.request() instanceof ControllerPublishVolumeRequest request) {
          Message undo =
              ControllerUnpublishVolumeRequest.newBuilder()
                  .setVolumeId(request.getVolumeId())
                  .setNodeId(request.getNodeId())
                  .build();
          List<Message> unused =
              call.inner()
                  .answer(new Asked(CONTROLLER_UNPUBLISH_VOLUME, call.asked().node(), undo));
          throw new Refusal(FAILED_PRECONDITION, "the node has no such adapter");
        }
        return answer;
      }),
  TAKES_OTHER_MUTABLE_PARAMETERS(
      "controller/modify/*",
      refusingAfterwards(CONTROLLER_MODIFY_VOLUME, INVALID_ARGUMENT, "no such parameter")),
  CHECKS_MUTABLE_PARAMETERS_FIRST(
      "controller/modify/*", refusing(CONTROLLER_MODIFY_VOLUME, INVALID_ARGUMENT)),
  REFUSES_MUTABLE_PARAMETERS_FIRST(
      "controller/modify/*",
      unfit(
          call ->
              call.is(CONTROLLER_MODIFY_VOLUME)
                  && !call.text("volume_id").isEmpty()
                  && !call.text("mutable_parameters").equals("[]"))),
  CHECKS_THE_NODE_BEFORE_THE_VOLUME(
      "controller/publish/*",
      unfit(
          call ->
              call.request() instanceof ControllerPublishVolumeRequest request
                  && !request.getVolumeId().isEmpty()
                  && !request.getNodeId().isEmpty()
                  && request.hasVolumeCapability()
                  && !request.getNodeId().equals(LawfulRequests.NO_SUCH_NODE))),
  CHECKS_THE_USE_BEFORE_THE_VOLUME(
      "controller/publish/*", refusing(CONTROLLER_PUBLISH_VOLUME, INVALID_ARGUMENT)),
  GROWS_NO_VOLUME_OF_THE_DESCRIPTION(
      "controller/expand/*",
      unfit(
          call ->
              call.request() instanceof ControllerExpandVolumeRequest request
                  && !request.getVolumeId().isEmpty()
                  && request.hasCapacityRange())),
  STAGES_NO_VOLUME_OF_THE_DESCRIPTION(
      "node/*",
      unfit(
          call ->
              call.request() instanceof NodeStageVolumeRequest request
                  && !request.getVolumeId().isEmpty()
                  && !request.getStagingTargetPath().isEmpty()
                  && request.hasVolumeCapability())),
  PUBLISHES_NO_VOLUME_OF_THE_DESCRIPTION(
      "node/*",
      unfit(
          call ->
              call.request() instanceof NodePublishVolumeRequest request
                  && !request.getVolumeId().isEmpty()
                  && !request.getTargetPath().isEmpty()
                  && request.hasVolumeCapability())),
  CHECKS_THE_USE_BEFORE_THE_STAGING_PATH("node/*", refusing(NODE_PUBLISH_VOLUME, INVALID_ARGUMENT)),
  MAKES_NOTHING_SMALLER_THAN_ITS_SOURCE("*e/*", Shapes.NEWEST, LawfulOddity::withoutSmallVolumes),
  GROWS_NO_VOLUME_BEYOND_1_GIB(
      "controller/expand/*",
      refusing(call -> grows(call, 1L << 30), OUT_OF_RANGE, "1 GiB is the most")),
  TELLS_THE_CAPACITY_FOR_ONE_USE(
      "controller/capacity/*",
      refusing(
          call ->
              call.request() instanceof GetCapacityRequest request
                  && request.getVolumeCapabilitiesCount() > 1,
          INVALID_ARGUMENT,
          "no volume is all of that")),
  MAKES_NO_LARGE_VOLUMES(
      "controller/create/*",
      refusing(
          call ->
              call.request() instanceof CreateVolumeRequest request
                  && request.getCapacityRange().getRequiredBytes() > 1L << 30,
          OUT_OF_RANGE,
          "1 GiB is the most")),
  SERVES_THE_NODE_ALONE(
      "*",
      refusing(
          call ->
              call.service() != CsiOperation.Service.IDENTITY
                  && call.service() != CsiOperation.Service.NODE,
          UNIMPLEMENTED,
          "ask the controller's instance")),
  SERVES_THE_CONTROLLER_ALONE(
      "*",
      refusing(
          call -> call.service() == CsiOperation.Service.NODE,
          UNIMPLEMENTED,
          "ask the node's instance"));

  private static final class Shapes {
    private static final PluginShape PLACED =
        PluginShape.full().topologies(Topology.of(Map.of("zone", "z1")));
    private static final PluginShape NEWEST =
        PluginShape.full113().topologies(Topology.of(Map.of("zone", "z1")));
  }

  private final String concerns;
  private final PluginShape shape;
  private final How how;

  LawfulOddity(String concerns, How how) {
    this(concerns, PluginShape.full(), how);
  }

  LawfulOddity(String concerns, PluginShape shape, How how) {
    this.concerns = concerns;
    this.shape = shape;
    this.how = how;
  }

  /** Returns a pattern for the cases that it concerns. */
  String concerns() {
    return concerns;
  }

  @Override
  public PluginShape shape() {
    return shape;
  }

  @Override
  public How how() {
    return how;
  }

  private static How unfit(Predicate<Call> which) {
    return refusing(which, FAILED_PRECONDITION, "not in this plugin");
  }

  private static boolean grows(Call call, long beyond) {
    return call.request() instanceof ControllerExpandVolumeRequest request
        && request.getCapacityRange().getRequiredBytes() > beyond;
  }

  private static List<Message> expandedTo(long bytes) {
    return List.of(ControllerExpandVolumeResponse.newBuilder().setCapacityBytes(bytes).build());
  }

  private static List<Message> notReady() {
    return List.of(ProbeResponse.newBuilder().setReady(BoolValue.of(false)).build());
  }

  /** The answer of a plugin whose smallest volume has 10 GiB. */
  private static List<Message> withoutSmallVolumes(Call call) throws Refusal {
    CapacityRange range;
    if (call.request() instanceof CreateVolumeRequest create && !create.hasVolumeContentSource()) {
      range = create.getCapacityRange();
    } else if (call.request() instanceof ControllerExpandVolumeRequest expand
        && expand.hasCapacityRange()) {
      range = expand.getCapacityRange();
    } else {
      return call.pass();
    }
    long smallest = 10L << 30;
    if (range.getRequiredBytes() < 0 || range.getRequiredBytes() >= smallest) {
      return call.pass();
    }
    if (range.getLimitBytes() > 0 && range.getLimitBytes() < smallest) {
      throw new Refusal(OUT_OF_RANGE, "10 GiB is the least");
    }
    return call.with("capacity_range", range.toBuilder().setRequiredBytes(smallest).build());
  }

  /** The answer of a plugin that goes on with a snapshot for two more calls, and aborts them. */
  private static List<Message> processed(CsiOperation which, Call call) throws Refusal {
    if (!call.is(which) || call.text("name").isEmpty()) {
      return call.pass();
    }
    String name = call.text("name");
    Set<String> seen = call.memory().seen();
    boolean first = seen.add(name);
    if (!first && (seen.add(name + " 2") || seen.add(name + " 3"))) {
      throw new Refusal(ABORTED, "the snapshot is still being processed");
    }
    List<Message> answer = call.pass();
    return first
        ? changed(
            changed(
                answer,
                CreateSnapshotResponse.Builder.class,
                made -> made.getSnapshotBuilder().setReadyToUse(false)),
            CreateVolumeGroupSnapshotResponse.Builder.class,
            made -> made.getGroupSnapshotBuilder().setReadyToUse(false))
        : answer;
  }
}
