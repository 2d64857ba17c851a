package io.csi4j.conformance.internal.plugin;

import static io.csi4j.client.model.CsiOperation.*;
import static io.csi4j.client.model.StatusCode.*;
import static io.csi4j.conformance.internal.plugin.Spoiling.changed;
import static io.csi4j.conformance.internal.plugin.Spoiling.changing;
import static io.csi4j.conformance.internal.plugin.Spoiling.ignoring;
import static io.csi4j.conformance.internal.plugin.Spoiling.instead;
import static io.csi4j.conformance.internal.plugin.Spoiling.recoding;
import static io.csi4j.conformance.internal.plugin.Spoiling.refusing;
import static io.csi4j.conformance.internal.plugin.Spoiling.when;

import com.google.protobuf.Message;
import io.csi4j.client.controller.ControllerCapability;
import io.csi4j.client.identity.PluginCapability;
import io.csi4j.client.internal.proto.BlockMetadata;
import io.csi4j.client.internal.proto.ControllerExpandVolumeRequest;
import io.csi4j.client.internal.proto.ControllerExpandVolumeResponse;
import io.csi4j.client.internal.proto.ControllerGetVolumeHealthResponse;
import io.csi4j.client.internal.proto.ControllerGetVolumeResponse;
import io.csi4j.client.internal.proto.ControllerListVolumeHealthResponse;
import io.csi4j.client.internal.proto.ControllerPublishVolumeRequest;
import io.csi4j.client.internal.proto.ControllerPublishVolumeResponse;
import io.csi4j.client.internal.proto.ControllerUnpublishVolumeResponse;
import io.csi4j.client.internal.proto.CreateSnapshotResponse;
import io.csi4j.client.internal.proto.CreateVolumeGroupSnapshotResponse;
import io.csi4j.client.internal.proto.CreateVolumeRequest;
import io.csi4j.client.internal.proto.CreateVolumeResponse;
import io.csi4j.client.internal.proto.DeleteVolumeResponse;
import io.csi4j.client.internal.proto.GetCapacityResponse;
import io.csi4j.client.internal.proto.GetMetadataAllocatedResponse;
import io.csi4j.client.internal.proto.GetPluginInfoResponse;
import io.csi4j.client.internal.proto.NodeGetInfoResponse;
import io.csi4j.client.internal.proto.NodeGetStorageHealthResponse;
import io.csi4j.client.internal.proto.NodeGetVolumeHealthResponse;
import io.csi4j.client.internal.proto.NodeGetVolumeStatsResponse;
import io.csi4j.client.internal.proto.NodePublishVolumeResponse;
import io.csi4j.client.internal.proto.NodeStageVolumeResponse;
import io.csi4j.client.internal.proto.ValidateVolumeCapabilitiesResponse;
import io.csi4j.client.internal.proto.VolumeCapability;
import io.csi4j.client.internal.proto.VolumeCapability.AccessMode.Mode;
import io.csi4j.client.internal.proto.VolumeHealth;
import io.csi4j.client.internal.proto.VolumeUsage;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.Topology;
import io.csi4j.client.node.NodeCapability;
import io.csi4j.testkit.internal.backend.Refusal;
import io.csi4j.testkit.model.PluginShape;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** One way in which a plugin that obeys the spec is spoilt. */
@SuppressWarnings("ImmutableEnumChecker") // a shape never changes
enum Defect implements Spoiling {
  CREATE_MAKES_ANOTHER_VOLUME_EACH_TIME(
      when(
          call -> call.is(CREATE_VOLUME) && !call.text("name").isEmpty(),
          call -> call.with("name", "n" + call.memory().count().incrementAndGet()))),
  CREATE_TAKES_ANY_SIZE_FOR_A_NAME(
      call -> {
        if (!(call.request() instanceof CreateVolumeRequest request)) {
          return call.pass();
        }
        try {
          List<Message> answer = call.pass();
          call.memory().answers().put(request.getName(), answer);
          return answer;
        } catch (Refusal e) {
          List<Message> known = call.memory().answers().get(request.getName());
          if (e.code() == ALREADY_EXISTS
              && known != null
              && request.getCapacityRange().getLimitBytes() > 0) {
            return known;
          }
          throw e;
        }
      }),
  CREATE_NEEDS_NO_NAME(
      when(
          call -> call.is(CREATE_VOLUME) && call.text("name").isEmpty(),
          call -> call.with("name", "n" + call.memory().count().incrementAndGet()))),
  CREATE_NEEDS_NO_CAPABILITY(
      call ->
          call.request() instanceof CreateVolumeRequest request
                  && request.getVolumeCapabilitiesCount() == 0
              ? call.pass(request.toBuilder().addVolumeCapabilities(usual()).build())
              : call.pass()),
  CREATE_REFUSES_LONG_NAMES(
      refusing(
          call -> call.is(CREATE_VOLUME) && call.text("name").length() > 64,
          INVALID_ARGUMENT,
          "too long")),
  CREATE_IGNORES_THE_SOURCE(ignoring(CREATE_VOLUME, "volume_content_source")),
  CREATE_FORGETS_TO_NAME_THE_SOURCE(
      changing(
          CreateVolumeResponse.Builder.class,
          made -> made.getVolumeBuilder().clearContentSource())),
  SNAPSHOT_ANSWERS_WITHOUT_ID(
      changing(
          CreateSnapshotResponse.Builder.class,
          made -> made.getSnapshotBuilder().clearSnapshotId())),
  CREATE_MAKES_LESS_THAN_THE_SNAPSHOT_HAS(
      call ->
          call.request() instanceof CreateVolumeRequest request
                  && request.getVolumeContentSource().hasSnapshot()
                  && request.getCapacityRange().getLimitBytes() != 0
              ? changed(
                  call.without("capacity_range"),
                  CreateVolumeResponse.Builder.class,
                  made ->
                      made.getVolumeBuilder()
                          .setCapacityBytes(request.getCapacityRange().getLimitBytes()))
              : call.pass()),
  CREATE_WITHOUT_A_SIZE_MAKES_LESS_THAN_NOTHING(
      call ->
          call.request() instanceof CreateVolumeRequest request && !request.hasCapacityRange()
              ? changed(
                  call.pass(),
                  CreateVolumeResponse.Builder.class,
                  made -> made.getVolumeBuilder().setCapacityBytes(-1))
              : call.pass()),
  CREATE_FROM_NO_SNAPSHOT_INTERNAL(
      refusing(
          call ->
              call.request() instanceof CreateVolumeRequest request
                  && request.getVolumeContentSource().hasSnapshot()
                  && request.getVolumeContentSource().getSnapshot().getSnapshotId().isEmpty(),
          INTERNAL,
          "no path")),
  VALIDATE_IS_NOT_IMPLEMENTED(
      refusing(call -> call.is(VALIDATE_VOLUME_CAPABILITIES), UNIMPLEMENTED, "later")),
  DELETE_OF_UNKNOWN_NOT_FOUND(
      refusing(
          call -> call.is(DELETE_VOLUME) && call.text("volume_id").startsWith("csi4j-no-such"),
          NOT_FOUND,
          "no such volume")),
  DELETE_DOES_NOTHING(
      when(
          call -> call.is(DELETE_VOLUME) && !call.text("volume_id").isEmpty(),
          call -> List.of(DeleteVolumeResponse.getDefaultInstance()))),
  LIST_IGNORES_THE_TOKEN(ignoring(LIST_VOLUMES, "starting_token")),
  LIST_IGNORES_THE_NUMBER_OF_ENTRIES(ignoring(LIST_VOLUMES, "max_entries")),
  ATTACH_TAKES_ANY_NODE(
      instead(
          CONTROLLER_PUBLISH_VOLUME,
          NOT_FOUND,
          ControllerPublishVolumeResponse.getDefaultInstance())),
  ATTACH_OF_UNKNOWN_INTERNAL(call -> unknownAs(INTERNAL, call)),
  ATTACH_OF_DELETED_INVALID(call -> unknownAs(INVALID_ARGUMENT, call)),
  VALIDATE_KNOWS_EVERY_VOLUME(
      instead(
          VALIDATE_VOLUME_CAPABILITIES,
          NOT_FOUND,
          ValidateVolumeCapabilitiesResponse.getDefaultInstance())),
  VALIDATE_CONFIRMS_SOMETHING_ELSE(
      changing(
          ValidateVolumeCapabilitiesResponse.Builder.class,
          validated -> {
            if (validated.hasConfirmed()) {
              validated
                  .getConfirmedBuilder()
                  .clearVolumeCapabilities()
                  .addVolumeCapabilities(
                      LawfulRequests.inMode(usual(), Mode.MULTI_NODE_SINGLE_WRITER));
            }
          })),
  EXPAND_TELLS_TOO_LITTLE(
      changing(
          ControllerExpandVolumeResponse.Builder.class, expanded -> expanded.setCapacityBytes(1))),
  EXPAND_KNOWS_EVERY_VOLUME(
      instead(
          CONTROLLER_EXPAND_VOLUME,
          NOT_FOUND,
          ControllerExpandVolumeResponse.getDefaultInstance())),
  CAPACITY_IS_NEGATIVE(
      changing(GetCapacityResponse.Builder.class, capacity -> capacity.setAvailableCapacity(-1))),
  GET_TELLS_OF_ANOTHER_VOLUME(
      changing(
          ControllerGetVolumeResponse.Builder.class,
          got -> got.getVolumeBuilder().setVolumeId("other"))),
  SNAPSHOT_MAKES_ANOTHER_EACH_TIME(
      when(
          call -> call.is(CREATE_SNAPSHOT) && !call.text("name").isEmpty(),
          call -> call.with("name", "s" + call.memory().count().incrementAndGet()))),
  SNAPSHOT_WITHOUT_TIME(
      changing(
          CreateSnapshotResponse.Builder.class,
          made -> made.getSnapshotBuilder().clearCreationTime())),
  SNAPSHOT_LIST_IGNORES_THE_ID(ignoring(LIST_SNAPSHOTS, "snapshot_id")),
  SNAPSHOT_LIST_IGNORES_THE_SOURCE(ignoring(LIST_SNAPSHOTS, "source_volume_id")),
  GROUP_MEMBERS_WITHOUT_GROUP(
      changing(
          CreateVolumeGroupSnapshotResponse.Builder.class,
          made ->
              made.getGroupSnapshotBuilder()
                  .getSnapshotsBuilderList()
                  .forEach(member -> member.clearGroupSnapshotId()))),
  PUBLISH_TAKES_ANOTHER_CAPABILITY(
      instead(NODE_PUBLISH_VOLUME, ALREADY_EXISTS, NodePublishVolumeResponse.getDefaultInstance())),
  EXPAND_SHRINKS(
      call ->
          call.request() instanceof ControllerExpandVolumeRequest request
              ? changed(
                  call.pass(),
                  ControllerExpandVolumeResponse.Builder.class,
                  expanded ->
                      expanded
                          .clear()
                          .setCapacityBytes(request.getCapacityRange().getRequiredBytes()))
              : call.pass()),
  STAGE_KNOWS_EVERY_VOLUME(
      instead(NODE_STAGE_VOLUME, NOT_FOUND, NodeStageVolumeResponse.getDefaultInstance())),
  REFUSES_WITHOUT_WORDS(
      call -> {
        try {
          return call.pass();
        } catch (Refusal e) {
          throw new Refusal(e.code(), "");
        }
      }),
  EXPANSION_WITHOUT_ITS_CALLS(Shapes.NO_EXPANSION, Call::pass),
  PUBLISHED_NODES_WITHOUT_ATTACHING(Shapes.NO_ATTACHING, Call::pass),
  DETACH_WITHOUT_A_NODE_DOES_NOTHING(
      when(
          call ->
              call.is(CONTROLLER_UNPUBLISH_VOLUME)
                  && call.text("node_id").isEmpty()
                  && !call.text("volume_id").isEmpty(),
          call -> List.of(ControllerUnpublishVolumeResponse.getDefaultInstance()))),
  UNSTAGE_TWICE_INTERNAL(
      call -> {
        if (call.is(NODE_STAGE_VOLUME)) {
          call.memory().seen().clear();
        }
        List<Message> answer = call.pass();
        if (call.is(NODE_UNSTAGE_VOLUME) && !call.memory().seen().add(call.request().toString())) {
          throw new Refusal(INTERNAL, "not mounted");
        }
        return answer;
      }),
  PUBLISH_IGNORES_READONLY(ignoring(NODE_PUBLISH_VOLUME, "readonly")),
  PUBLISH_NEEDS_NO_STAGING_PATH(
      when(
          call -> call.is(NODE_PUBLISH_VOLUME) && call.text("staging_target_path").isEmpty(),
          call -> List.of(NodePublishVolumeResponse.getDefaultInstance()))),
  PUBLISH_TAKES_A_SECOND_TARGET(
      when(
          call -> call.is(NODE_PUBLISH_VOLUME) && call.text("target_path").endsWith("-2"),
          call ->
              instead(call, FAILED_PRECONDITION, NodePublishVolumeResponse.getDefaultInstance()))),
  PUBLISH_KNOWS_EVERY_VOLUME(
      instead(NODE_PUBLISH_VOLUME, NOT_FOUND, NodePublishVolumeResponse.getDefaultInstance())),
  PUBLISH_REFUSES_WITH_ANOTHER_CODE(
      recoding(
          (call, refusal) -> call.is(NODE_PUBLISH_VOLUME) && refusal.code() == INVALID_ARGUMENT,
          FAILED_PRECONDITION)),
  STATS_FOR_ANY_PATH(
      instead(NODE_GET_VOLUME_STATS, NOT_FOUND, NodeGetVolumeStatsResponse.getDefaultInstance())),
  STATS_ARE_NEGATIVE(
      changing(
          NodeGetVolumeStatsResponse.Builder.class,
          stats -> stats.clear().addUsageBuilder().setUnit(VolumeUsage.Unit.BYTES).setTotal(-1))),
  NODE_TAKES_MINUS_ONE_VOLUMES(
      changing(NodeGetInfoResponse.Builder.class, info -> info.setMaxVolumesPerNode(-1))),
  NAME_IS_NO_DOMAIN_NAME(
      changing(GetPluginInfoResponse.Builder.class, info -> info.setName("-a plugin"))),
  VERSION_IS_UNTOLD(
      changing(GetPluginInfoResponse.Builder.class, info -> info.clearVendorVersion())),
  METADATA_RANGES_OVERLAP(
      changing(
          GetMetadataAllocatedResponse.Builder.class,
          part -> {
            if (part.getBlockMetadataCount() > 0) {
              BlockMetadata first = part.getBlockMetadata(0);
              part.addBlockMetadata(first).addBlockMetadata(first);
            }
          })),
  METADATA_TAKES_ANY_OFFSET(ignoring(GET_METADATA_DELTA, "starting_offset")),
  SNAPSHOT_HAS_A_PLACE_WITHOUT_THE_CAPABILITY(
      changing(CreateSnapshotResponse.Builder.class, Defect::moveElsewhere)),
  SNAPSHOT_IS_SOMEWHERE_ELSE(
      Shapes.NEWEST, changing(CreateSnapshotResponse.Builder.class, Defect::moveElsewhere)),
  HEALTH_IS_LISTED_ONLY(
      Shapes.NEWEST,
      refusing(call -> call.is(CONTROLLER_GET_VOLUME_HEALTH), UNIMPLEMENTED, "only as a list")),
  HEALTH_LIST_NEVER_ENDS(
      Shapes.NEWEST,
      when(
          call -> call.is(CONTROLLER_LIST_VOLUME_HEALTH) && !call.text("max_entries").equals("0"),
          call ->
              List.of(
                  ControllerListVolumeHealthResponse.newBuilder().setNextToken("again").build()))),
  HEALTH_LISTS_WELL_VOLUMES(
      Shapes.NEWEST,
      call -> {
        List<Message> answer = call.pass();
        if (answer.get(0) instanceof CreateVolumeResponse created) {
          call.memory().seen().add(created.getVolume().getVolumeId());
        } else if (call.is(CONTROLLER_LIST_VOLUME_HEALTH) && call.text("max_entries").equals("0")) {
          return changed(
              answer,
              ControllerListVolumeHealthResponse.Builder.class,
              page -> call.memory().seen().forEach(id -> page.addEntriesBuilder().setVolumeId(id)));
        }
        return answer;
      }),
  HEALTH_LIST_TAKES_ANY_TOKEN(
      Shapes.NEWEST, ignoring(CONTROLLER_LIST_VOLUME_HEALTH, "starting_token")),
  HEALTH_LIST_TAKES_ANY_NUMBER_OF_ENTRIES(
      Shapes.NEWEST, ignoring(CONTROLLER_LIST_VOLUME_HEALTH, "max_entries")),
  HEALTH_IS_OF_ANOTHER_VOLUME(
      Shapes.NEWEST, changingHealth(health -> health.setVolumeId("another"))),
  HEALTH_TELLS_A_FAULT_TWICE(
      Shapes.NEWEST,
      call -> {
        var fault = VolumeHealth.VolumeHealthEntry.newBuilder().setStatusValue(1).setReason("Slow");
        var storage =
            NodeGetStorageHealthResponse.StorageBackendHealth.newBuilder().setStatusValue(1);
        return changed(
            changingHealth(health -> health.addHealthStatuses(fault).addHealthStatuses(fault))
                .answer(call),
            NodeGetStorageHealthResponse.Builder.class,
            health -> health.addBackendHealth(storage).addBackendHealth(storage));
      }),
  HEALTH_KNOWS_EVERY_VOLUME(Shapes.NEWEST, call -> healthInstead(call, NOT_FOUND)),
  HEALTH_KNOWS_ONLY_STAGED_VOLUMES(
      Shapes.NEWEST,
      call -> {
        List<Message> answer = call.pass();
        if (call.is(NODE_STAGE_VOLUME)) {
          call.memory().seen().add(call.text("volume_id"));
        } else if (call.is(NODE_GET_VOLUME_HEALTH)
            && !call.memory().seen().contains(call.text("volume_id"))) {
          throw new Refusal(FAILED_PRECONDITION, "not staged");
        }
        return answer;
      }),
  HEALTH_NEEDS_NO_VOLUME(Shapes.NEWEST, call -> healthInstead(call, INVALID_ARGUMENT)),
  CREATE_IGNORES_THE_PLACE(Shapes.NEWEST, ignoring(CREATE_VOLUME, "accessibility_requirements")),
  EXPAND_GROWS_WHAT_IS_IN_USE(
      Shapes.OFFLINE_EXPANSION,
      call ->
          call.request() instanceof ControllerExpandVolumeRequest request
              ? instead(
                  call,
                  FAILED_PRECONDITION,
                  ControllerExpandVolumeResponse.newBuilder()
                      .setCapacityBytes(request.getCapacityRange().getRequiredBytes())
                      .build())
              : call.pass());

  /** The shapes of plugins that are spoilt. */
  private static final class Shapes {
    private static final PluginShape NO_EXPANSION =
        PluginShape.full()
            .without(ControllerCapability.EXPAND_VOLUME)
            .without(NodeCapability.EXPAND_VOLUME);
    private static final PluginShape OFFLINE_EXPANSION =
        PluginShape.full().without(PluginCapability.VOLUME_EXPANSION_ONLINE);
    private static final PluginShape NO_ATTACHING =
        PluginShape.full()
            .without(
                ControllerCapability.PUBLISH_UNPUBLISH_VOLUME,
                ControllerCapability.PUBLISH_READONLY);
    private static final PluginShape NEWEST =
        PluginShape.full113().topologies(Topology.of(Map.of("zone", "z1")));
  }

  private final PluginShape shape;
  private final How how;

  Defect(How how) {
    this(PluginShape.full(), how);
  }

  Defect(PluginShape shape, How how) {
    this.shape = shape;
    this.how = how;
  }

  @Override
  public PluginShape shape() {
    return shape;
  }

  @Override
  public How how() {
    return how;
  }

  private static void moveElsewhere(CreateSnapshotResponse.Builder made) {
    made.getSnapshotBuilder()
        .clearAccessibleTopology()
        .addAccessibleTopologyBuilder()
        .putSegments("zone", "z9");
  }

  private static How changingHealth(Consumer<VolumeHealth.Builder> change) {
    return call ->
        changed(
            changed(
                call.pass(),
                ControllerGetVolumeHealthResponse.Builder.class,
                answer -> change.accept(answer.getVolumeHealthBuilder())),
            NodeGetVolumeHealthResponse.Builder.class,
            answer -> change.accept(answer.getVolumeHealthBuilder()));
  }

  private static List<Message> healthInstead(Call call, StatusCode of) throws Refusal {
    return switch (call.asked().operation()) {
      case CONTROLLER_GET_VOLUME_HEALTH ->
          instead(call, of, ControllerGetVolumeHealthResponse.getDefaultInstance());
      case NODE_GET_VOLUME_HEALTH ->
          instead(call, of, NodeGetVolumeHealthResponse.getDefaultInstance());
      default -> call.pass();
    };
  }

  /** The answer of a plugin that attaches no unknown volume, and says so with another code. */
  private static List<Message> unknownAs(StatusCode code, Call call) throws Refusal {
    return recoding(
            (each, refusal) ->
                refusal.code() == NOT_FOUND
                    && each.request() instanceof ControllerPublishVolumeRequest request
                    && !request.getNodeId().equals(LawfulRequests.NO_SUCH_NODE),
            code)
        .answer(call);
  }

  private static VolumeCapability usual() {
    return LawfulRequests.inMode(
        VolumeCapability.newBuilder()
            .setMount(VolumeCapability.MountVolume.getDefaultInstance())
            .build(),
        Mode.SINGLE_NODE_WRITER);
  }
}
