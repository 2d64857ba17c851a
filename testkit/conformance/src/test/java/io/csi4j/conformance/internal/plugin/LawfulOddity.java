package io.csi4j.conformance.internal.plugin;

import static io.csi4j.conformance.internal.plugin.Spoiling.instead;
import static io.csi4j.conformance.internal.plugin.Spoiling.text;
import static io.csi4j.conformance.internal.plugin.Spoiling.with;
import static io.csi4j.conformance.internal.plugin.Spoiling.without;

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
import io.csi4j.client.internal.proto.Topology;
import io.csi4j.client.internal.proto.ValidateVolumeCapabilitiesResponse;
import io.csi4j.client.internal.proto.VolumeCapability.AccessMode.Mode;
import io.csi4j.client.internal.proto.VolumeUsage;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.CsiService;
import io.csi4j.client.model.StatusCode;
import io.csi4j.testkit.internal.backend.Backend;
import io.csi4j.testkit.internal.backend.Backend.Asked;
import io.csi4j.testkit.internal.backend.Refusal;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.testkit.model.Quirk;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** One way in which a plugin may be odd and still do all that the spec says with MUST. */
@SuppressWarnings("ImmutableEnumChecker") // a shape never changes
enum LawfulOddity implements Spoiling {
  AN_EXPANSION_LIMIT_BELOW_THE_SIZE_IS_OK("controller/expand/*") {
    @Override
    public List<Message> answer(Backend inner, Asked asked, Memory memory) throws Refusal {
      return asked.request() instanceof ControllerExpandVolumeRequest request
              && request.getCapacityRange().getLimitBytes() == 1
          ? List.of(ControllerExpandVolumeResponse.newBuilder().setCapacityBytes(1L << 30).build())
          : inner.answer(asked);
    }
  },
  ATTACHES_WITH_ANY_CAPABILITY("controller/publish/*") {
    @Override
    public List<Message> answer(Backend inner, Asked asked, Memory memory) throws Refusal {
      return asked.operation() == CsiOperation.CONTROLLER_PUBLISH_VOLUME
          ? instead(
              inner,
              asked,
              StatusCode.ALREADY_EXISTS,
              ControllerPublishVolumeResponse.getDefaultInstance())
          : inner.answer(asked);
    }
  },
  STAGES_WITH_ANY_CAPABILITY("node/stage/*") {
    @Override
    public List<Message> answer(Backend inner, Asked asked, Memory memory) throws Refusal {
      return asked.operation() == CsiOperation.NODE_STAGE_VOLUME
          ? instead(
              inner, asked, StatusCode.ALREADY_EXISTS, NodeStageVolumeResponse.getDefaultInstance())
          : inner.answer(asked);
    }
  },
  PUBLISHES_WITH_ANOTHER_ACCESS_MODE("node/publish/*") {
    @Override
    public List<Message> answer(Backend inner, Asked asked, Memory memory) throws Refusal {
      return asked.request() instanceof NodePublishVolumeRequest request
              && request.getVolumeCapability().getAccessMode().getMode()
                  == Mode.MULTI_NODE_MULTI_WRITER
          ? instead(
              inner,
              asked,
              StatusCode.ALREADY_EXISTS,
              NodePublishVolumeResponse.getDefaultInstance())
          : inner.answer(asked);
    }
  },
  PUBLISHES_A_SECOND_TARGET("node/publish/second*") {
    @Override
    public List<Message> answer(Backend inner, Asked asked, Memory memory) throws Refusal {
      return asked.operation() == CsiOperation.NODE_PUBLISH_VOLUME
              && text(asked, "target_path").endsWith("-2")
          ? instead(
              inner,
              asked,
              StatusCode.FAILED_PRECONDITION,
              NodePublishVolumeResponse.getDefaultInstance())
          : inner.answer(asked);
    }
  },
  KEEPS_STAGED_WHAT_IS_PUBLISHED("node/unstage/*") {
    @Override
    public List<Message> answer(Backend inner, Asked asked, Memory memory) throws Refusal {
      List<Message> answer;
      String id =
          asked.operation().service() == CsiService.NODE
                  && asked.request().getDescriptorForType().findFieldByName("volume_id") != null
              ? text(asked, "volume_id")
              : "";
      if (asked.operation() == CsiOperation.NODE_UNSTAGE_VOLUME && memory.seen().contains(id)) {
        throw new Refusal(StatusCode.INTERNAL, "the device is busy");
      }
      answer = inner.answer(asked);
      if (asked.operation() == CsiOperation.NODE_PUBLISH_VOLUME) {
        memory.seen().add(id);
      } else if (asked.operation() == CsiOperation.NODE_UNPUBLISH_VOLUME) {
        memory.seen().remove(id);
      }
      return answer;
    }
  },
  TELLS_NO_SIZES_AND_TAKES_ANY(
      "*size*", PluginShape.full().totalBytes(Long.MAX_VALUE).with(Quirk.CAPACITY_UNTOLD)) {
    @Override
    public List<Message> answer(Backend inner, Asked asked, Memory memory) throws Refusal {
      if (asked.request() instanceof CreateVolumeRequest request
          && request.getCapacityRange().getRequiredBytes() > 0
          && !request.hasVolumeContentSource()) {
        return inner.answer(without(asked, "capacity_range"));
      }
      return asked.request() instanceof ControllerExpandVolumeRequest request
              && request.getCapacityRange().getRequiredBytes() > 1L << 50
          ? List.of(ControllerExpandVolumeResponse.getDefaultInstance())
          : inner.answer(asked);
    }
  },
  TELLS_NO_SIZE_BUT_THE_ONE_ASKED_FOR(
      "controller/expand/*", PluginShape.full().with(Quirk.CAPACITY_UNTOLD)) {
    @Override
    public List<Message> answer(Backend inner, Asked asked, Memory memory) throws Refusal {
      List<Message> answer = inner.answer(asked);
      return asked.request() instanceof ControllerExpandVolumeRequest request
          ? List.of(
              ControllerExpandVolumeResponse.newBuilder()
                  .setCapacityBytes(request.getCapacityRange().getRequiredBytes())
                  .build())
          : answer;
    }
  },
  TELLS_THE_SIZES_OF_SNAPSHOTS_ALONE("*source*") {
    @Override
    public List<Message> answer(Backend inner, Asked asked, Memory memory) throws Refusal {
      boolean filled =
          asked.request() instanceof CreateVolumeRequest request
              && request.getVolumeContentSource().hasSnapshot()
              && request.getCapacityRange().getLimitBytes() > 0;
      return inner.answer(filled ? without(asked, "capacity_range") : asked).stream()
          .map(this::changed)
          .toList();
    }

    @Override
    Message changed(Message answer) {
      return answer instanceof CreateVolumeResponse created
          ? created.toBuilder()
              .setVolume(created.getVolume().toBuilder().clearCapacityBytes())
              .build()
          : answer;
    }
  },
  A_MISSING_STAGING_PATH_IS_A_MISSING_FIELD("node/publish/*") {
    @Override
    public List<Message> answer(Backend inner, Asked asked, Memory memory) throws Refusal {
      if (asked.operation() == CsiOperation.NODE_PUBLISH_VOLUME
          && text(asked, "staging_target_path").isEmpty()) {
        throw new Refusal(StatusCode.INVALID_ARGUMENT, "staging_target_path is missing");
      }
      return inner.answer(asked);
    }
  },
  NOTHING_HAS_AN_EMPTY_ID("*") {
    @Override
    public List<Message> answer(Backend inner, Asked asked, Memory memory) throws Refusal {
      try {
        return inner.answer(asked);
      } catch (Refusal e) {
        throw e.code() == StatusCode.INVALID_ARGUMENT
                && (e.text().contains("_id is REQUIRED") || e.text().contains("_id is not set"))
            ? new Refusal(StatusCode.NOT_FOUND, "there is no ''")
            : e;
      }
    }
  },
  MAKES_NO_VOLUME_WITHOUT_A_SIZE("controller/create/*") {
    @Override
    public List<Message> answer(Backend inner, Asked asked, Memory memory) throws Refusal {
      if (asked.request() instanceof CreateVolumeRequest request
          && !request.getName().isEmpty()
          && !request.hasCapacityRange()) {
        throw new Refusal(StatusCode.OUT_OF_RANGE, "say how large");
      }
      return inner.answer(asked);
    }
  },
  A_TOKEN_OF_OTHERS_IS_AN_INVALID_FIELD("*/list/*") {
    @Override
    public List<Message> answer(Backend inner, Asked asked, Memory memory) throws Refusal {
      try {
        return inner.answer(asked);
      } catch (Refusal e) {
        boolean isList =
            asked.request().getDescriptorForType().findFieldByName("starting_token") != null;
        throw isList && e.code() == StatusCode.ABORTED
            ? new Refusal(StatusCode.INVALID_ARGUMENT, "no token of mine")
            : e;
      }
    }
  },
  EXPANDS_TO_ANY_SIZE("controller/expand/*") {
    @Override
    public List<Message> answer(Backend inner, Asked asked, Memory memory) throws Refusal {
      return asked.request() instanceof ControllerExpandVolumeRequest request
              && request.getCapacityRange().getRequiredBytes() > 1L << 50
          ? List.of(
              ControllerExpandVolumeResponse.newBuilder()
                  .setCapacityBytes(request.getCapacityRange().getRequiredBytes())
                  .build())
          : inner.answer(asked);
    }
  },
  KNOWS_ITS_OWN_IDS("*unknown*") {
    @Override
    public List<Message> answer(Backend inner, Asked asked, Memory memory) throws Refusal {
      if (asked.request().toString().contains("\"csi4j-no-such-")) {
        throw new Refusal(StatusCode.INVALID_ARGUMENT, "this is no id of mine");
      }
      return inner.answer(asked);
    }
  },
  HAS_NO_NODE_INFO("node/*", PluginShape.noAttach()) {
    @Override
    public List<Message> answer(Backend inner, Asked asked, Memory memory) throws Refusal {
      return refusing(CsiOperation.NODE_GET_INFO, StatusCode.UNIMPLEMENTED, inner, asked);
    }
  },
  SNAPSHOTS_ARE_READY_LATER("*snapshot*") {
    @Override
    public List<Message> answer(Backend inner, Asked asked, Memory memory) throws Refusal {
      if (asked.request() instanceof CreateVolumeRequest request
          && request.getVolumeContentSource().hasSnapshot()
          && memory
              .seen()
              .contains(request.getVolumeContentSource().getSnapshot().getSnapshotId())) {
        throw new Refusal(StatusCode.UNAVAILABLE, "the snapshot is still being processed");
      }
      List<Message> answer = inner.answer(asked);
      if (answer.get(0) instanceof CreateSnapshotResponse created) {
        String id = created.getSnapshot().getSnapshotId();
        boolean first = memory.answers().put(id, answer) == null;
        boolean unused = first ? memory.seen().add(id) : memory.seen().remove(id);
        CreateSnapshotResponse.Builder changed = created.toBuilder();
        changed.getSnapshotBuilder().setReadyToUse(!first);
        return List.of(changed.build());
      }
      return answer;
    }
  },
  NAMES_NO_SOURCE("controller/create/*from*") {
    @Override
    Message changed(Message answer) {
      return answer instanceof CreateVolumeResponse created
          ? created.toBuilder()
              .setVolume(created.getVolume().toBuilder().clearContentSource())
              .build()
          : answer;
    }
  },
  VOLUMES_ARE_EVERYWHERE("topology/*", Shapes.PLACED) {
    @Override
    Message changed(Message answer) {
      return answer instanceof CreateVolumeResponse created
          ? created.toBuilder()
              .setVolume(created.getVolume().toBuilder().clearAccessibleTopology())
              .build()
          : answer;
    }
  },
  TOPOLOGY_KEYS_IN_ANOTHER_CASE("topology/*", Shapes.PLACED) {
    @Override
    Message changed(Message answer) {
      if (!(answer instanceof CreateVolumeResponse created)) {
        return answer;
      }
      CreateVolumeResponse.Builder changed = created.toBuilder();
      changed.getVolumeBuilder().clearAccessibleTopology();
      created
          .getVolume()
          .getAccessibleTopologyList()
          .forEach(
              place -> {
                Topology.Builder loud = Topology.newBuilder();
                place
                    .getSegmentsMap()
                    .forEach((key, value) -> loud.putSegments(key.toUpperCase(Locale.ROOT), value));
                changed.getVolumeBuilder().addAccessibleTopology(loud);
              });
      return changed.build();
    }
  },
  DOES_NOT_LIKE_TO_BE_PROBED("identity/probe/*") {
    @Override
    public List<Message> answer(Backend inner, Asked asked, Memory memory) throws Refusal {
      if (asked.operation() == CsiOperation.PROBE && memory.count().incrementAndGet() % 3 == 0) {
        throw new Refusal(StatusCode.RESOURCE_EXHAUSTED, "once a minute is enough");
      }
      return inner.answer(asked);
    }
  },
  IS_NOT_READY("identity/probe/*") {
    @Override
    public List<Message> answer(Backend inner, Asked asked, Memory memory) throws Refusal {
      return asked.operation() == CsiOperation.PROBE
          ? List.of(ProbeResponse.newBuilder().setReady(BoolValue.of(false)).build())
          : refusing(CsiOperation.CREATE_VOLUME, StatusCode.INTERNAL, inner, asked);
    }
  },
  IS_NOT_WELL("identity/probe/*") {
    @Override
    public List<Message> answer(Backend inner, Asked asked, Memory memory) throws Refusal {
      return refusing(CsiOperation.PROBE, StatusCode.FAILED_PRECONDITION, inner, asked);
    }
  },
  AN_EMPTY_PAGE_COMES_FIRST("controller/list/*") {
    @Override
    public List<Message> answer(Backend inner, Asked asked, Memory memory) throws Refusal {
      if (asked.operation() != CsiOperation.LIST_VOLUMES) {
        return inner.answer(asked);
      }
      return switch (text(asked, "starting_token")) {
        case "" -> List.of(ListVolumesResponse.newBuilder().setNextToken("after-nothing").build());
        case "after-nothing" -> inner.answer(without(asked, "starting_token"));
        default -> inner.answer(asked);
      };
    }
  },
  LISTS_NODES_THAT_ARE_GONE("controller/list/*") {
    @Override
    Message changed(Message answer) {
      if (!(answer instanceof ListVolumesResponse page)) {
        return answer;
      }
      ListVolumesResponse.Builder changed = page.toBuilder();
      changed
          .getEntriesBuilderList()
          .forEach(each -> each.getStatusBuilder().addPublishedNodeIds("a-node-of-old"));
      return changed.build();
    }
  },
  CONFIRMS_MORE_THAN_WAS_ASKED("controller/validate/*") {
    @Override
    Message changed(Message answer) {
      if (!(answer instanceof ValidateVolumeCapabilitiesResponse told) || !told.hasConfirmed()) {
        return answer;
      }
      ValidateVolumeCapabilitiesResponse.Builder changed = told.toBuilder();
      changed
          .getConfirmedBuilder()
          .addVolumeCapabilities(
              LawfulRequests.inMode(
                  told.getConfirmed().getVolumeCapabilities(0), Mode.MULTI_NODE_READER_ONLY));
      return changed.build();
    }
  },
  DELETES_A_MEMBER_OF_A_GROUP("snapshots/delete/*") {
    @Override
    public List<Message> answer(Backend inner, Asked asked, Memory memory) throws Refusal {
      return asked.operation() == CsiOperation.DELETE_SNAPSHOT
              && !text(asked, "snapshot_id").isEmpty()
          ? instead(
              inner,
              asked,
              StatusCode.INVALID_ARGUMENT,
              DeleteSnapshotResponse.getDefaultInstance())
          : inner.answer(asked);
    }
  },
  SNAPSHOTS_NO_TWO_VOLUMES_TOGETHER("groups/*") {
    @Override
    public List<Message> answer(Backend inner, Asked asked, Memory memory) throws Refusal {
      return asked.operation() == CsiOperation.CREATE_VOLUME_GROUP_SNAPSHOT
              && (text(asked, "name").isEmpty() || text(asked, "source_volume_ids").equals("[]"))
          ? inner.answer(asked)
          : refusing(
              CsiOperation.CREATE_VOLUME_GROUP_SNAPSHOT,
              StatusCode.FAILED_PRECONDITION,
              inner,
              asked);
    }
  },
  CALLS_AT_ONCE_END_INTERNAL("concurrency/*") {
    @Override
    public List<Message> answer(Backend inner, Asked asked, Memory memory) throws Refusal {
      try {
        return inner.answer(asked);
      } catch (Refusal e) {
        // Of a list, ABORTED says that its token is not valid.
        boolean isList =
            asked.request().getDescriptorForType().findFieldByName("starting_token") != null;
        throw e.code() == StatusCode.ABORTED && !isList
            ? new Refusal(StatusCode.INTERNAL, "busy")
            : e;
      }
    }
  },
  WHAT_IS_NOT_OFFERED_IS_UNKNOWN("*not-implemented", PluginShape.plain()) {
    @Override
    public List<Message> answer(Backend inner, Asked asked, Memory memory) throws Refusal {
      try {
        return inner.answer(asked);
      } catch (Refusal e) {
        throw e.code() == StatusCode.UNIMPLEMENTED
            ? new Refusal(StatusCode.UNKNOWN, "unknown method")
            : e;
      }
    }
  },
  TELLS_NO_USAGE("node/stats/*") {
    @Override
    Message changed(Message answer) {
      return answer instanceof NodeGetVolumeStatsResponse
          ? NodeGetVolumeStatsResponse.getDefaultInstance()
          : answer;
    }
  },
  MEASURES_IN_A_UNIT_OF_THE_FUTURE("node/stats/*") {
    @Override
    Message changed(Message answer) {
      return answer instanceof NodeGetVolumeStatsResponse
          ? NodeGetVolumeStatsResponse.newBuilder()
              .addUsage(VolumeUsage.newBuilder().setUnitValue(3).setTotal(1))
              .build()
          : answer;
    }
  },
  HAS_CAPABILITIES_OF_THE_FUTURE("*/capabilities/*") {
    @Override
    Message changed(Message answer) {
      return answer instanceof NodeGetCapabilitiesResponse told
          ? told.toBuilder()
              .addCapabilities(NodeServiceCapability.getDefaultInstance())
              .addCapabilities(
                  NodeServiceCapability.newBuilder()
                      .setRpc(NodeServiceCapability.RPC.newBuilder().setTypeValue(999)))
              .build()
          : answer;
    }
  },
  TAKES_MORE_VOLUMES_THAN_IT_SAYS(
      "controller/publish/a-node*", PluginShape.full().maxVolumesPerNode(2)) {
    @Override
    public List<Message> answer(Backend inner, Asked asked, Memory memory) throws Refusal {
      return asked.operation() == CsiOperation.CONTROLLER_PUBLISH_VOLUME
          ? instead(
              inner,
              asked,
              StatusCode.RESOURCE_EXHAUSTED,
              ControllerPublishVolumeResponse.getDefaultInstance())
          : inner.answer(asked);
    }
  },
  GROWS_NOTHING_THAT_IS_PUBLISHED("node/expand/*") {
    @Override
    public List<Message> answer(Backend inner, Asked asked, Memory memory) throws Refusal {
      List<Message> answer = inner.answer(asked);
      if (asked.operation() == CsiOperation.NODE_EXPAND_VOLUME) {
        throw new Refusal(StatusCode.FAILED_PRECONDITION, "unmount it first");
      }
      return answer;
    }
  },
  TELLS_HEALTH_IN_TWO_WAYS("*/capabilities/*", PluginShape.full112And113()),
  LISTS_A_NODE_FOR_A_WHILE("controller/unpublish/*") {
    @Override
    public List<Message> answer(Backend inner, Asked asked, Memory memory) throws Refusal {
      List<Message> answer = inner.answer(asked);
      if (asked.operation() == CsiOperation.CONTROLLER_PUBLISH_VOLUME) {
        memory.seen().add(text(asked, "volume_id"));
      }
      if (!(answer.get(0) instanceof ListVolumesResponse page)) {
        return answer;
      }
      ListVolumesResponse.Builder changed = page.toBuilder();
      changed.getEntriesBuilderList().stream()
          .filter(each -> memory.seen().contains(each.getVolume().getVolumeId()))
          .map(each -> each.getStatusBuilder())
          .filter(each -> !each.getPublishedNodeIdsList().contains("node-1"))
          .forEach(each -> each.addPublishedNodeIds("node-1"));
      return List.of(changed.build());
    }
  },
  TAKES_ANY_PLACE_AS_VOLUMES_ARE_EVERYWHERE("topology/*", Shapes.PLACED) {
    @Override
    public List<Message> answer(Backend inner, Asked asked, Memory memory) throws Refusal {
      return asked.operation() == CsiOperation.CREATE_VOLUME
          ? VOLUMES_ARE_EVERYWHERE.answer(
              inner, without(asked, "accessibility_requirements"), memory)
          : inner.answer(asked);
    }
  },
  MAKES_NO_SMALL_VOLUMES(
      "controller/expand/*", PluginShape.full().without(PluginCapability.VOLUME_EXPANSION_ONLINE)) {
    @Override
    public List<Message> answer(Backend inner, Asked asked, Memory memory) throws Refusal {
      return inner.answer(withoutSmallVolumes(asked));
    }
  },
  ABORTS_WHILE_A_SNAPSHOT_IS_PROCESSED("*snapshot*") {
    @Override
    public List<Message> answer(Backend inner, Asked asked, Memory memory) throws Refusal {
      return processed(CsiOperation.CREATE_SNAPSHOT, inner, asked, memory);
    }
  },
  ABORTS_WHILE_A_GROUP_IS_PROCESSED("groups/*") {
    @Override
    public List<Message> answer(Backend inner, Asked asked, Memory memory) throws Refusal {
      return processed(CsiOperation.CREATE_VOLUME_GROUP_SNAPSHOT, inner, asked, memory);
    }
  },
  MAKES_NO_VOLUMES_OF_THE_NEWER_MODES("node/publish/*") {
    @Override
    public List<Message> answer(Backend inner, Asked asked, Memory memory) throws Refusal {
      if (asked.request() instanceof CreateVolumeRequest request
          && request.getVolumeCapabilitiesCount() > 0) {
        switch (request.getVolumeCapabilities(0).getAccessMode().getMode()) {
          case SINGLE_NODE_SINGLE_WRITER ->
              throw new Refusal(StatusCode.FAILED_PRECONDITION, "not this mode");
          case SINGLE_NODE_MULTI_WRITER ->
              throw new Refusal(StatusCode.RESOURCE_EXHAUSTED, "no more of this mode");
          default -> {}
        }
      }
      return inner.answer(asked);
    }
  },
  IS_READY_LATER("controller/create/*") {
    @Override
    public List<Message> answer(Backend inner, Asked asked, Memory memory) throws Refusal {
      if (asked.operation() == CsiOperation.PROBE && memory.count().incrementAndGet() < 3) {
        return List.of(ProbeResponse.newBuilder().setReady(BoolValue.of(false)).build());
      }
      return memory.count().get() < 3
          ? refusing(CsiOperation.CREATE_VOLUME, StatusCode.INTERNAL, inner, asked)
          : inner.answer(asked);
    }
  },
  MAKES_NO_VOLUME_WITHOUT_PARAMETERS("controller/create/*") {
    @Override
    public List<Message> answer(Backend inner, Asked asked, Memory memory) throws Refusal {
      return refusing(CsiOperation.CREATE_VOLUME, StatusCode.INVALID_ARGUMENT, inner, asked);
    }
  },
  MAKES_NO_SNAPSHOT_WITHOUT_PARAMETERS("snapshots/create/*") {
    @Override
    public List<Message> answer(Backend inner, Asked asked, Memory memory) throws Refusal {
      return refusing(CsiOperation.CREATE_SNAPSHOT, StatusCode.INVALID_ARGUMENT, inner, asked);
    }
  },
  ATTACHES_NO_VOLUME_OF_THE_DESCRIPTION(
      "controller/publish/*", PluginShape.full().maxVolumesPerNode(2)) {
    @Override
    public List<Message> answer(Backend inner, Asked asked, Memory memory) throws Refusal {
      List<Message> answer = inner.answer(asked);
      if (asked.request() instanceof ControllerPublishVolumeRequest request) {
        Message undo =
            ControllerUnpublishVolumeRequest.newBuilder()
                .setVolumeId(request.getVolumeId())
                .setNodeId(request.getNodeId())
                .build();
        List<Message> unused =
            inner.answer(new Asked(CsiOperation.CONTROLLER_UNPUBLISH_VOLUME, asked.node(), undo));
        throw new Refusal(StatusCode.FAILED_PRECONDITION, "the node has no such adapter");
      }
      return answer;
    }
  },
  TAKES_OTHER_MUTABLE_PARAMETERS("controller/modify/*") {
    @Override
    public List<Message> answer(Backend inner, Asked asked, Memory memory) throws Refusal {
      List<Message> answer = inner.answer(asked);
      if (asked.operation() == CsiOperation.CONTROLLER_MODIFY_VOLUME) {
        throw new Refusal(StatusCode.INVALID_ARGUMENT, "no such parameter");
      }
      return answer;
    }
  },
  CHECKS_MUTABLE_PARAMETERS_FIRST("controller/modify/*") {
    @Override
    public List<Message> answer(Backend inner, Asked asked, Memory memory) throws Refusal {
      return refusing(
          CsiOperation.CONTROLLER_MODIFY_VOLUME, StatusCode.INVALID_ARGUMENT, inner, asked);
    }
  },
  REFUSES_MUTABLE_PARAMETERS_FIRST("controller/modify/*") {
    @Override
    public List<Message> answer(Backend inner, Asked asked, Memory memory) throws Refusal {
      return asked.operation() == CsiOperation.CONTROLLER_MODIFY_VOLUME
              && !text(asked, "volume_id").isEmpty()
              && !text(asked, "mutable_parameters").equals("[]")
          ? refusing(asked.operation(), StatusCode.FAILED_PRECONDITION, inner, asked)
          : inner.answer(asked);
    }
  },
  CHECKS_THE_NODE_BEFORE_THE_VOLUME("controller/publish/*") {
    @Override
    public List<Message> answer(Backend inner, Asked asked, Memory memory) throws Refusal {
      return asked.request() instanceof ControllerPublishVolumeRequest request
              && !request.getVolumeId().isEmpty()
              && !request.getNodeId().isEmpty()
              && request.hasVolumeCapability()
              && !request.getNodeId().equals(LawfulRequests.NO_SUCH_NODE)
          ? refusing(asked.operation(), StatusCode.FAILED_PRECONDITION, inner, asked)
          : inner.answer(asked);
    }
  },
  CHECKS_THE_USE_BEFORE_THE_VOLUME("controller/publish/*") {
    @Override
    public List<Message> answer(Backend inner, Asked asked, Memory memory) throws Refusal {
      return refusing(
          CsiOperation.CONTROLLER_PUBLISH_VOLUME, StatusCode.INVALID_ARGUMENT, inner, asked);
    }
  },
  GROWS_NO_VOLUME_OF_THE_DESCRIPTION("controller/expand/*") {
    @Override
    public List<Message> answer(Backend inner, Asked asked, Memory memory) throws Refusal {
      return asked.request() instanceof ControllerExpandVolumeRequest request
              && !request.getVolumeId().isEmpty()
              && request.hasCapacityRange()
          ? refusing(asked.operation(), StatusCode.FAILED_PRECONDITION, inner, asked)
          : inner.answer(asked);
    }
  },
  STAGES_NO_VOLUME_OF_THE_DESCRIPTION("node/*") {
    @Override
    public List<Message> answer(Backend inner, Asked asked, Memory memory) throws Refusal {
      return asked.request() instanceof NodeStageVolumeRequest request
              && !request.getVolumeId().isEmpty()
              && !request.getStagingTargetPath().isEmpty()
              && request.hasVolumeCapability()
          ? refusing(asked.operation(), StatusCode.FAILED_PRECONDITION, inner, asked)
          : inner.answer(asked);
    }
  },
  PUBLISHES_NO_VOLUME_OF_THE_DESCRIPTION("node/*") {
    @Override
    public List<Message> answer(Backend inner, Asked asked, Memory memory) throws Refusal {
      return asked.request() instanceof NodePublishVolumeRequest request
              && !request.getVolumeId().isEmpty()
              && !request.getTargetPath().isEmpty()
              && request.hasVolumeCapability()
          ? refusing(asked.operation(), StatusCode.FAILED_PRECONDITION, inner, asked)
          : inner.answer(asked);
    }
  },
  CHECKS_THE_USE_BEFORE_THE_STAGING_PATH("node/*") {
    @Override
    public List<Message> answer(Backend inner, Asked asked, Memory memory) throws Refusal {
      return refusing(CsiOperation.NODE_PUBLISH_VOLUME, StatusCode.INVALID_ARGUMENT, inner, asked);
    }
  },
  MAKES_NOTHING_SMALLER_THAN_ITS_SOURCE("*e/*", Shapes.NEWEST) {
    @Override
    public List<Message> answer(Backend inner, Asked asked, Memory memory) throws Refusal {
      return inner.answer(withoutSmallVolumes(asked));
    }
  },
  GROWS_NO_VOLUME_BEYOND_1_GIB("controller/expand/*") {
    @Override
    public List<Message> answer(Backend inner, Asked asked, Memory memory) throws Refusal {
      if (asked.request() instanceof ControllerExpandVolumeRequest request
          && request.getCapacityRange().getRequiredBytes() > 1L << 30) {
        throw new Refusal(StatusCode.OUT_OF_RANGE, "1 GiB is the most");
      }
      return inner.answer(asked);
    }
  },
  TELLS_THE_CAPACITY_FOR_ONE_USE("controller/capacity/*") {
    @Override
    public List<Message> answer(Backend inner, Asked asked, Memory memory) throws Refusal {
      if (asked.request() instanceof GetCapacityRequest request
          && request.getVolumeCapabilitiesCount() > 1) {
        throw new Refusal(StatusCode.INVALID_ARGUMENT, "no volume is all of that");
      }
      return inner.answer(asked);
    }
  },
  MAKES_NO_LARGE_VOLUMES("controller/create/*") {
    @Override
    public List<Message> answer(Backend inner, Asked asked, Memory memory) throws Refusal {
      if (asked.request() instanceof CreateVolumeRequest request
          && request.getCapacityRange().getRequiredBytes() > 1L << 30) {
        throw new Refusal(StatusCode.OUT_OF_RANGE, "1 GiB is the most");
      }
      return inner.answer(asked);
    }
  },
  SERVES_THE_NODE_ALONE("*") {
    @Override
    public List<Message> answer(Backend inner, Asked asked, Memory memory) throws Refusal {
      CsiService service = asked.operation().service();
      if (service != CsiService.IDENTITY && service != CsiService.NODE) {
        throw new Refusal(StatusCode.UNIMPLEMENTED, "ask the controller's instance");
      }
      return inner.answer(asked);
    }
  },
  SERVES_THE_CONTROLLER_ALONE("*") {
    @Override
    public List<Message> answer(Backend inner, Asked asked, Memory memory) throws Refusal {
      if (asked.operation().service() == CsiService.NODE) {
        throw new Refusal(StatusCode.UNIMPLEMENTED, "ask the node's instance");
      }
      return inner.answer(asked);
    }
  };

  private static final class Shapes {
    private static final PluginShape PLACED =
        PluginShape.full().topologies(io.csi4j.client.model.Topology.of(Map.of("zone", "z1")));
    private static final PluginShape NEWEST =
        PluginShape.full113().topologies(io.csi4j.client.model.Topology.of(Map.of("zone", "z1")));
  }

  private final String concerns;
  private final PluginShape shape;

  LawfulOddity(String concerns) {
    this(concerns, PluginShape.full());
  }

  LawfulOddity(String concerns, PluginShape shape) {
    this.concerns = concerns;
    this.shape = shape;
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
  public List<Message> answer(Backend inner, Asked asked, Memory memory) throws Refusal {
    return inner.answer(asked).stream().map(this::changed).toList();
  }

  Message changed(Message answer) {
    return answer;
  }

  private static List<Message> refusing(
      CsiOperation which, StatusCode code, Backend inner, Asked asked) throws Refusal {
    if (asked.operation() == which) {
      throw new Refusal(code, "not in this plugin");
    }
    return inner.answer(asked);
  }

  /** The request to a plugin whose smallest volume has 10 GiB. */
  private static Asked withoutSmallVolumes(Asked asked) throws Refusal {
    CapacityRange range;
    if (asked.request() instanceof CreateVolumeRequest create && !create.hasVolumeContentSource()) {
      range = create.getCapacityRange();
    } else if (asked.request() instanceof ControllerExpandVolumeRequest expand
        && expand.hasCapacityRange()) {
      range = expand.getCapacityRange();
    } else {
      return asked;
    }
    long smallest = 10L << 30;
    if (range.getRequiredBytes() < 0 || range.getRequiredBytes() >= smallest) {
      return asked;
    }
    if (range.getLimitBytes() > 0 && range.getLimitBytes() < smallest) {
      throw new Refusal(StatusCode.OUT_OF_RANGE, "10 GiB is the least");
    }
    return with(asked, "capacity_range", range.toBuilder().setRequiredBytes(smallest).build());
  }

  /** The answer of a plugin that goes on with a snapshot for two more calls, and aborts them. */
  private static List<Message> processed(
      CsiOperation which, Backend inner, Asked asked, Memory memory) throws Refusal {
    if (asked.operation() != which || text(asked, "name").isEmpty()) {
      return inner.answer(asked);
    }
    String name = text(asked, "name");
    boolean first = memory.seen().add(name);
    if (!first && (memory.seen().add(name + " 2") || memory.seen().add(name + " 3"))) {
      throw new Refusal(StatusCode.ABORTED, "the snapshot is still being processed");
    }
    List<Message> answer = inner.answer(asked);
    if (first && answer.get(0) instanceof CreateSnapshotResponse created) {
      CreateSnapshotResponse.Builder changed = created.toBuilder();
      changed.getSnapshotBuilder().setReadyToUse(false);
      return List.of(changed.build());
    }
    if (first && answer.get(0) instanceof CreateVolumeGroupSnapshotResponse created) {
      CreateVolumeGroupSnapshotResponse.Builder changed = created.toBuilder();
      changed.getGroupSnapshotBuilder().setReadyToUse(false);
      return List.of(changed.build());
    }
    return answer;
  }
}
