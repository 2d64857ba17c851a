package io.csi4j.conformance.internal.plugin;

import static io.csi4j.conformance.internal.plugin.Spoiling.instead;
import static io.csi4j.conformance.internal.plugin.Spoiling.text;
import static io.csi4j.conformance.internal.plugin.Spoiling.with;
import static io.csi4j.conformance.internal.plugin.Spoiling.without;

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
import io.csi4j.client.internal.proto.Snapshot;
import io.csi4j.client.internal.proto.ValidateVolumeCapabilitiesResponse;
import io.csi4j.client.internal.proto.VolumeCapability;
import io.csi4j.client.internal.proto.VolumeCapability.AccessMode.Mode;
import io.csi4j.client.internal.proto.VolumeHealth;
import io.csi4j.client.internal.proto.VolumeUsage;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.node.NodeCapability;
import io.csi4j.testkit.internal.backend.Backend;
import io.csi4j.testkit.internal.backend.Backend.Asked;
import io.csi4j.testkit.internal.backend.Refusal;
import io.csi4j.testkit.model.PluginShape;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** One way in which a plugin that obeys the spec is spoilt. */
@SuppressWarnings("ImmutableEnumChecker") // a shape never changes
enum Defect implements Spoiling {
  CREATE_MAKES_ANOTHER_VOLUME_EACH_TIME {
    @Override
    public List<Message> answer(Backend inner, Asked asked, Memory memory) throws Refusal {
      return asked.operation() == CsiOperation.CREATE_VOLUME && !text(asked, "name").isEmpty()
          ? inner.answer(with(asked, "name", "n" + memory.count().incrementAndGet()))
          : inner.answer(asked);
    }
  },
  CREATE_TAKES_ANY_SIZE_FOR_A_NAME {
    @Override
    public List<Message> answer(Backend inner, Asked asked, Memory memory) throws Refusal {
      if (!(asked.request() instanceof CreateVolumeRequest request)) {
        return inner.answer(asked);
      }
      try {
        List<Message> answer = inner.answer(asked);
        memory.answers().put(request.getName(), answer);
        return answer;
      } catch (Refusal e) {
        List<Message> known = memory.answers().get(request.getName());
        if (e.code() == StatusCode.ALREADY_EXISTS
            && known != null
            && request.getCapacityRange().getLimitBytes() > 0) {
          return known;
        }
        throw e;
      }
    }
  },
  CREATE_NEEDS_NO_NAME {
    @Override
    public List<Message> answer(Backend inner, Asked asked, Memory memory) throws Refusal {
      return asked.operation() == CsiOperation.CREATE_VOLUME && text(asked, "name").isEmpty()
          ? inner.answer(with(asked, "name", "n" + memory.count().incrementAndGet()))
          : inner.answer(asked);
    }
  },
  CREATE_NEEDS_NO_CAPABILITY {
    @Override
    public List<Message> answer(Backend inner, Asked asked, Memory memory) throws Refusal {
      if (asked.request() instanceof CreateVolumeRequest request
          && request.getVolumeCapabilitiesCount() == 0) {
        return inner.answer(
            new Asked(
                asked.operation(),
                asked.node(),
                request.toBuilder().addVolumeCapabilities(usual()).build()));
      }
      return inner.answer(asked);
    }
  },
  CREATE_REFUSES_LONG_NAMES {
    @Override
    public List<Message> answer(Backend inner, Asked asked, Memory memory) throws Refusal {
      if (asked.operation() == CsiOperation.CREATE_VOLUME && text(asked, "name").length() > 64) {
        throw new Refusal(StatusCode.INVALID_ARGUMENT, "too long");
      }
      return inner.answer(asked);
    }
  },
  CREATE_IGNORES_THE_SOURCE {
    @Override
    public List<Message> answer(Backend inner, Asked asked, Memory memory) throws Refusal {
      return asked.operation() == CsiOperation.CREATE_VOLUME
          ? inner.answer(without(asked, "volume_content_source"))
          : inner.answer(asked);
    }
  },
  CREATE_FORGETS_TO_NAME_THE_SOURCE {
    @Override
    Message changed(Message answer) {
      return answer instanceof CreateVolumeResponse created
          ? created.toBuilder()
              .setVolume(created.getVolume().toBuilder().clearContentSource())
              .build()
          : answer;
    }
  },
  SNAPSHOT_ANSWERS_WITHOUT_ID {
    @Override
    Message changed(Message answer) {
      return answer instanceof CreateSnapshotResponse created
          ? created.toBuilder()
              .setSnapshot(created.getSnapshot().toBuilder().clearSnapshotId())
              .build()
          : answer;
    }
  },
  CREATE_MAKES_LESS_THAN_THE_SNAPSHOT_HAS {
    @Override
    public List<Message> answer(Backend inner, Asked asked, Memory memory) throws Refusal {
      if (!(asked.request() instanceof CreateVolumeRequest request)
          || !request.getVolumeContentSource().hasSnapshot()
          || request.getCapacityRange().getLimitBytes() == 0) {
        return inner.answer(asked);
      }
      CreateVolumeResponse.Builder made =
          ((CreateVolumeResponse) inner.answer(without(asked, "capacity_range")).get(0))
              .toBuilder();
      made.getVolumeBuilder().setCapacityBytes(request.getCapacityRange().getLimitBytes());
      return List.of(made.build());
    }
  },
  CREATE_WITHOUT_A_SIZE_MAKES_LESS_THAN_NOTHING {
    @Override
    public List<Message> answer(Backend inner, Asked asked, Memory memory) throws Refusal {
      List<Message> answer = inner.answer(asked);
      if (asked.request() instanceof CreateVolumeRequest request && !request.hasCapacityRange()) {
        CreateVolumeResponse.Builder made = ((CreateVolumeResponse) answer.get(0)).toBuilder();
        made.getVolumeBuilder().setCapacityBytes(-1);
        return List.of(made.build());
      }
      return answer;
    }
  },
  CREATE_FROM_NO_SNAPSHOT_INTERNAL {
    @Override
    public List<Message> answer(Backend inner, Asked asked, Memory memory) throws Refusal {
      if (asked.request() instanceof CreateVolumeRequest request
          && request.getVolumeContentSource().hasSnapshot()
          && request.getVolumeContentSource().getSnapshot().getSnapshotId().isEmpty()) {
        throw new Refusal(StatusCode.INTERNAL, "no path");
      }
      return inner.answer(asked);
    }
  },
  VALIDATE_IS_NOT_IMPLEMENTED {
    @Override
    public List<Message> answer(Backend inner, Asked asked, Memory memory) throws Refusal {
      if (asked.operation() == CsiOperation.VALIDATE_VOLUME_CAPABILITIES) {
        throw new Refusal(StatusCode.UNIMPLEMENTED, "later");
      }
      return inner.answer(asked);
    }
  },
  DELETE_OF_UNKNOWN_NOT_FOUND {
    @Override
    public List<Message> answer(Backend inner, Asked asked, Memory memory) throws Refusal {
      if (asked.operation() == CsiOperation.DELETE_VOLUME
          && text(asked, "volume_id").startsWith("csi4j-no-such")) {
        throw new Refusal(StatusCode.NOT_FOUND, "no such volume");
      }
      return inner.answer(asked);
    }
  },
  DELETE_DOES_NOTHING {
    @Override
    public List<Message> answer(Backend inner, Asked asked, Memory memory) throws Refusal {
      return asked.operation() == CsiOperation.DELETE_VOLUME && !text(asked, "volume_id").isEmpty()
          ? List.of(DeleteVolumeResponse.getDefaultInstance())
          : inner.answer(asked);
    }
  },
  LIST_IGNORES_THE_TOKEN {
    @Override
    public List<Message> answer(Backend inner, Asked asked, Memory memory) throws Refusal {
      return asked.operation() == CsiOperation.LIST_VOLUMES
          ? inner.answer(without(asked, "starting_token"))
          : inner.answer(asked);
    }
  },
  LIST_IGNORES_THE_NUMBER_OF_ENTRIES {
    @Override
    public List<Message> answer(Backend inner, Asked asked, Memory memory) throws Refusal {
      return asked.operation() == CsiOperation.LIST_VOLUMES
          ? inner.answer(without(asked, "max_entries"))
          : inner.answer(asked);
    }
  },
  ATTACH_TAKES_ANY_NODE {
    @Override
    public List<Message> answer(Backend inner, Asked asked, Memory memory) throws Refusal {
      return asked.operation() == CsiOperation.CONTROLLER_PUBLISH_VOLUME
          ? instead(
              inner,
              asked,
              StatusCode.NOT_FOUND,
              ControllerPublishVolumeResponse.getDefaultInstance())
          : inner.answer(asked);
    }
  },
  ATTACH_OF_UNKNOWN_INTERNAL {
    @Override
    public List<Message> answer(Backend inner, Asked asked, Memory memory) throws Refusal {
      return unknownAs(StatusCode.INTERNAL, inner, asked);
    }
  },
  ATTACH_OF_DELETED_INVALID {
    @Override
    public List<Message> answer(Backend inner, Asked asked, Memory memory) throws Refusal {
      return unknownAs(StatusCode.INVALID_ARGUMENT, inner, asked);
    }
  },
  VALIDATE_KNOWS_EVERY_VOLUME {
    @Override
    public List<Message> answer(Backend inner, Asked asked, Memory memory) throws Refusal {
      return asked.operation() == CsiOperation.VALIDATE_VOLUME_CAPABILITIES
          ? instead(
              inner,
              asked,
              StatusCode.NOT_FOUND,
              ValidateVolumeCapabilitiesResponse.getDefaultInstance())
          : inner.answer(asked);
    }
  },
  VALIDATE_CONFIRMS_SOMETHING_ELSE {
    @Override
    Message changed(Message answer) {
      return answer instanceof ValidateVolumeCapabilitiesResponse validated
              && validated.hasConfirmed()
          ? validated.toBuilder()
              .setConfirmed(
                  validated.getConfirmed().toBuilder()
                      .clearVolumeCapabilities()
                      .addVolumeCapabilities(
                          LawfulRequests.inMode(usual(), Mode.MULTI_NODE_SINGLE_WRITER)))
              .build()
          : answer;
    }
  },
  EXPAND_TELLS_TOO_LITTLE {
    @Override
    Message changed(Message answer) {
      return answer instanceof ControllerExpandVolumeResponse expanded
          ? expanded.toBuilder().setCapacityBytes(1).build()
          : answer;
    }
  },
  EXPAND_KNOWS_EVERY_VOLUME {
    @Override
    public List<Message> answer(Backend inner, Asked asked, Memory memory) throws Refusal {
      return asked.operation() == CsiOperation.CONTROLLER_EXPAND_VOLUME
          ? instead(
              inner,
              asked,
              StatusCode.NOT_FOUND,
              ControllerExpandVolumeResponse.getDefaultInstance())
          : inner.answer(asked);
    }
  },
  CAPACITY_IS_NEGATIVE {
    @Override
    Message changed(Message answer) {
      return answer instanceof GetCapacityResponse capacity
          ? capacity.toBuilder().setAvailableCapacity(-1).build()
          : answer;
    }
  },
  GET_TELLS_OF_ANOTHER_VOLUME {
    @Override
    Message changed(Message answer) {
      return answer instanceof ControllerGetVolumeResponse got
          ? got.toBuilder().setVolume(got.getVolume().toBuilder().setVolumeId("other")).build()
          : answer;
    }
  },
  SNAPSHOT_MAKES_ANOTHER_EACH_TIME {
    @Override
    public List<Message> answer(Backend inner, Asked asked, Memory memory) throws Refusal {
      return asked.operation() == CsiOperation.CREATE_SNAPSHOT && !text(asked, "name").isEmpty()
          ? inner.answer(with(asked, "name", "s" + memory.count().incrementAndGet()))
          : inner.answer(asked);
    }
  },
  SNAPSHOT_WITHOUT_TIME {
    @Override
    Message changed(Message answer) {
      return answer instanceof CreateSnapshotResponse created
          ? created.toBuilder()
              .setSnapshot(created.getSnapshot().toBuilder().clearCreationTime())
              .build()
          : answer;
    }
  },
  SNAPSHOT_LIST_IGNORES_THE_ID {
    @Override
    public List<Message> answer(Backend inner, Asked asked, Memory memory) throws Refusal {
      return asked.operation() == CsiOperation.LIST_SNAPSHOTS
          ? inner.answer(without(asked, "snapshot_id"))
          : inner.answer(asked);
    }
  },
  SNAPSHOT_LIST_IGNORES_THE_SOURCE {
    @Override
    public List<Message> answer(Backend inner, Asked asked, Memory memory) throws Refusal {
      return asked.operation() == CsiOperation.LIST_SNAPSHOTS
          ? inner.answer(without(asked, "source_volume_id"))
          : inner.answer(asked);
    }
  },
  GROUP_MEMBERS_WITHOUT_GROUP {
    @Override
    Message changed(Message answer) {
      if (!(answer instanceof CreateVolumeGroupSnapshotResponse created)) {
        return answer;
      }
      List<Snapshot> members =
          created.getGroupSnapshot().getSnapshotsList().stream()
              .map(each -> each.toBuilder().clearGroupSnapshotId().build())
              .toList();
      return created.toBuilder()
          .setGroupSnapshot(
              created.getGroupSnapshot().toBuilder().clearSnapshots().addAllSnapshots(members))
          .build();
    }
  },
  PUBLISH_TAKES_ANOTHER_CAPABILITY {
    @Override
    public List<Message> answer(Backend inner, Asked asked, Memory memory) throws Refusal {
      return asked.operation() == CsiOperation.NODE_PUBLISH_VOLUME
          ? instead(
              inner,
              asked,
              StatusCode.ALREADY_EXISTS,
              NodePublishVolumeResponse.getDefaultInstance())
          : inner.answer(asked);
    }
  },
  EXPAND_SHRINKS {
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
  STAGE_KNOWS_EVERY_VOLUME {
    @Override
    public List<Message> answer(Backend inner, Asked asked, Memory memory) throws Refusal {
      return asked.operation() == CsiOperation.NODE_STAGE_VOLUME
          ? instead(
              inner, asked, StatusCode.NOT_FOUND, NodeStageVolumeResponse.getDefaultInstance())
          : inner.answer(asked);
    }
  },
  REFUSES_WITHOUT_WORDS {
    @Override
    public List<Message> answer(Backend inner, Asked asked, Memory memory) throws Refusal {
      try {
        return inner.answer(asked);
      } catch (Refusal e) {
        throw new Refusal(e.code(), "");
      }
    }
  },
  EXPANSION_WITHOUT_ITS_CALLS(Shapes.NO_EXPANSION),
  PUBLISHED_NODES_WITHOUT_ATTACHING(Shapes.NO_ATTACHING),
  DETACH_WITHOUT_A_NODE_DOES_NOTHING {
    @Override
    public List<Message> answer(Backend inner, Asked asked, Memory memory) throws Refusal {
      return asked.operation() == CsiOperation.CONTROLLER_UNPUBLISH_VOLUME
              && text(asked, "node_id").isEmpty()
              && !text(asked, "volume_id").isEmpty()
          ? List.of(ControllerUnpublishVolumeResponse.getDefaultInstance())
          : inner.answer(asked);
    }
  },
  UNSTAGE_TWICE_INTERNAL {
    @Override
    public List<Message> answer(Backend inner, Asked asked, Memory memory) throws Refusal {
      if (asked.operation() == CsiOperation.NODE_UNSTAGE_VOLUME) {
        List<Message> answer = inner.answer(asked);
        if (!memory.seen().add(asked.request().toString())) {
          throw new Refusal(StatusCode.INTERNAL, "not mounted");
        }
        return answer;
      }
      if (asked.operation() == CsiOperation.NODE_STAGE_VOLUME) {
        memory.seen().clear();
      }
      return inner.answer(asked);
    }
  },
  PUBLISH_IGNORES_READONLY {
    @Override
    public List<Message> answer(Backend inner, Asked asked, Memory memory) throws Refusal {
      return asked.operation() == CsiOperation.NODE_PUBLISH_VOLUME
          ? inner.answer(without(asked, "readonly"))
          : inner.answer(asked);
    }
  },
  PUBLISH_NEEDS_NO_STAGING_PATH {
    @Override
    public List<Message> answer(Backend inner, Asked asked, Memory memory) throws Refusal {
      return asked.operation() == CsiOperation.NODE_PUBLISH_VOLUME
              && text(asked, "staging_target_path").isEmpty()
          ? List.of(NodePublishVolumeResponse.getDefaultInstance())
          : inner.answer(asked);
    }
  },
  PUBLISH_TAKES_A_SECOND_TARGET {
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
  PUBLISH_KNOWS_EVERY_VOLUME {
    @Override
    public List<Message> answer(Backend inner, Asked asked, Memory memory) throws Refusal {
      return asked.operation() == CsiOperation.NODE_PUBLISH_VOLUME
          ? instead(
              inner, asked, StatusCode.NOT_FOUND, NodePublishVolumeResponse.getDefaultInstance())
          : inner.answer(asked);
    }
  },
  PUBLISH_REFUSES_WITH_ANOTHER_CODE {
    @Override
    public List<Message> answer(Backend inner, Asked asked, Memory memory) throws Refusal {
      try {
        return inner.answer(asked);
      } catch (Refusal e) {
        if (asked.operation() == CsiOperation.NODE_PUBLISH_VOLUME
            && e.code() == StatusCode.INVALID_ARGUMENT) {
          throw new Refusal(StatusCode.FAILED_PRECONDITION, e.text());
        }
        throw e;
      }
    }
  },
  STATS_FOR_ANY_PATH {
    @Override
    public List<Message> answer(Backend inner, Asked asked, Memory memory) throws Refusal {
      return asked.operation() == CsiOperation.NODE_GET_VOLUME_STATS
          ? instead(
              inner, asked, StatusCode.NOT_FOUND, NodeGetVolumeStatsResponse.getDefaultInstance())
          : inner.answer(asked);
    }
  },
  STATS_ARE_NEGATIVE {
    @Override
    Message changed(Message answer) {
      return answer instanceof NodeGetVolumeStatsResponse
          ? NodeGetVolumeStatsResponse.newBuilder()
              .addUsage(VolumeUsage.newBuilder().setUnit(VolumeUsage.Unit.BYTES).setTotal(-1))
              .build()
          : answer;
    }
  },
  NODE_TAKES_MINUS_ONE_VOLUMES {
    @Override
    Message changed(Message answer) {
      return answer instanceof NodeGetInfoResponse info
          ? info.toBuilder().setMaxVolumesPerNode(-1).build()
          : answer;
    }
  },
  NAME_IS_NO_DOMAIN_NAME {
    @Override
    Message changed(Message answer) {
      return answer instanceof GetPluginInfoResponse info
          ? info.toBuilder().setName("-a plugin").build()
          : answer;
    }
  },
  VERSION_IS_UNTOLD {
    @Override
    Message changed(Message answer) {
      return answer instanceof GetPluginInfoResponse info
          ? info.toBuilder().clearVendorVersion().build()
          : answer;
    }
  },
  METADATA_RANGES_OVERLAP {
    @Override
    Message changed(Message answer) {
      if (!(answer instanceof GetMetadataAllocatedResponse part)
          || part.getBlockMetadataCount() == 0) {
        return answer;
      }
      BlockMetadata first = part.getBlockMetadata(0);
      return part.toBuilder().addBlockMetadata(first).addBlockMetadata(first).build();
    }
  },
  METADATA_TAKES_ANY_OFFSET {
    @Override
    public List<Message> answer(Backend inner, Asked asked, Memory memory) throws Refusal {
      return asked.operation() == CsiOperation.GET_METADATA_DELTA
          ? inner.answer(without(asked, "starting_offset"))
          : inner.answer(asked);
    }
  },
  SNAPSHOT_HAS_A_PLACE_WITHOUT_THE_CAPABILITY {
    @Override
    Message changed(Message answer) {
      return elsewhere(answer);
    }
  },
  SNAPSHOT_IS_SOMEWHERE_ELSE(Shapes.NEWEST) {
    @Override
    Message changed(Message answer) {
      return elsewhere(answer);
    }
  },
  HEALTH_IS_LISTED_ONLY(Shapes.NEWEST) {
    @Override
    public List<Message> answer(Backend inner, Asked asked, Memory memory) throws Refusal {
      if (asked.operation() == CsiOperation.CONTROLLER_GET_VOLUME_HEALTH) {
        throw new Refusal(StatusCode.UNIMPLEMENTED, "only as a list");
      }
      return inner.answer(asked);
    }
  },
  HEALTH_LIST_NEVER_ENDS(Shapes.NEWEST) {
    @Override
    public List<Message> answer(Backend inner, Asked asked, Memory memory) throws Refusal {
      return asked.operation() == CsiOperation.CONTROLLER_LIST_VOLUME_HEALTH
              && !text(asked, "max_entries").equals("0")
          ? List.of(ControllerListVolumeHealthResponse.newBuilder().setNextToken("again").build())
          : inner.answer(asked);
    }
  },
  HEALTH_LISTS_WELL_VOLUMES(Shapes.NEWEST) {
    @Override
    public List<Message> answer(Backend inner, Asked asked, Memory memory) throws Refusal {
      List<Message> answer = inner.answer(asked);
      if (answer.get(0) instanceof CreateVolumeResponse created) {
        memory.seen().add(created.getVolume().getVolumeId());
      } else if (answer.get(0) instanceof ControllerListVolumeHealthResponse page
          && text(asked, "max_entries").equals("0")) {
        ControllerListVolumeHealthResponse.Builder more = page.toBuilder();
        memory.seen().forEach(id -> more.addEntriesBuilder().setVolumeId(id));
        return List.of(more.build());
      }
      return answer;
    }
  },
  HEALTH_LIST_TAKES_ANY_TOKEN(Shapes.NEWEST) {
    @Override
    public List<Message> answer(Backend inner, Asked asked, Memory memory) throws Refusal {
      return asked.operation() == CsiOperation.CONTROLLER_LIST_VOLUME_HEALTH
          ? inner.answer(without(asked, "starting_token"))
          : inner.answer(asked);
    }
  },
  HEALTH_LIST_TAKES_ANY_NUMBER_OF_ENTRIES(Shapes.NEWEST) {
    @Override
    public List<Message> answer(Backend inner, Asked asked, Memory memory) throws Refusal {
      return asked.operation() == CsiOperation.CONTROLLER_LIST_VOLUME_HEALTH
          ? inner.answer(without(asked, "max_entries"))
          : inner.answer(asked);
    }
  },
  HEALTH_IS_OF_ANOTHER_VOLUME(Shapes.NEWEST) {
    @Override
    Message changed(Message answer) {
      return ofVolume(answer, health -> health.setVolumeId("another"));
    }
  },
  HEALTH_TELLS_A_FAULT_TWICE(Shapes.NEWEST) {
    @Override
    Message changed(Message answer) {
      if (answer instanceof NodeGetStorageHealthResponse storage) {
        var fault =
            NodeGetStorageHealthResponse.StorageBackendHealth.newBuilder().setStatusValue(1);
        return storage.toBuilder().addBackendHealth(fault).addBackendHealth(fault).build();
      }
      var fault = VolumeHealth.VolumeHealthEntry.newBuilder().setStatusValue(1).setReason("Slow");
      return ofVolume(answer, health -> health.addHealthStatuses(fault).addHealthStatuses(fault));
    }
  },
  HEALTH_KNOWS_EVERY_VOLUME(Shapes.NEWEST) {
    @Override
    public List<Message> answer(Backend inner, Asked asked, Memory memory) throws Refusal {
      return switch (asked.operation()) {
        case CONTROLLER_GET_VOLUME_HEALTH ->
            instead(
                inner,
                asked,
                StatusCode.NOT_FOUND,
                ControllerGetVolumeHealthResponse.getDefaultInstance());
        case NODE_GET_VOLUME_HEALTH ->
            instead(
                inner,
                asked,
                StatusCode.NOT_FOUND,
                NodeGetVolumeHealthResponse.getDefaultInstance());
        default -> inner.answer(asked);
      };
    }
  },
  HEALTH_KNOWS_ONLY_STAGED_VOLUMES(Shapes.NEWEST) {
    @Override
    public List<Message> answer(Backend inner, Asked asked, Memory memory) throws Refusal {
      List<Message> answer = inner.answer(asked);
      if (asked.operation() == CsiOperation.NODE_STAGE_VOLUME) {
        memory.seen().add(text(asked, "volume_id"));
      } else if (asked.operation() == CsiOperation.NODE_GET_VOLUME_HEALTH
          && !memory.seen().contains(text(asked, "volume_id"))) {
        throw new Refusal(StatusCode.FAILED_PRECONDITION, "not staged");
      }
      return answer;
    }
  },
  HEALTH_NEEDS_NO_VOLUME(Shapes.NEWEST) {
    @Override
    public List<Message> answer(Backend inner, Asked asked, Memory memory) throws Refusal {
      return switch (asked.operation()) {
        case CONTROLLER_GET_VOLUME_HEALTH ->
            instead(
                inner,
                asked,
                StatusCode.INVALID_ARGUMENT,
                ControllerGetVolumeHealthResponse.getDefaultInstance());
        case NODE_GET_VOLUME_HEALTH ->
            instead(
                inner,
                asked,
                StatusCode.INVALID_ARGUMENT,
                NodeGetVolumeHealthResponse.getDefaultInstance());
        default -> inner.answer(asked);
      };
    }
  },
  CREATE_IGNORES_THE_PLACE(Shapes.NEWEST) {
    @Override
    public List<Message> answer(Backend inner, Asked asked, Memory memory) throws Refusal {
      return asked.operation() == CsiOperation.CREATE_VOLUME
          ? inner.answer(without(asked, "accessibility_requirements"))
          : inner.answer(asked);
    }
  },
  EXPAND_GROWS_WHAT_IS_IN_USE(Shapes.OFFLINE_EXPANSION) {
    @Override
    public List<Message> answer(Backend inner, Asked asked, Memory memory) throws Refusal {
      return asked.request() instanceof ControllerExpandVolumeRequest request
          ? instead(
              inner,
              asked,
              StatusCode.FAILED_PRECONDITION,
              ControllerExpandVolumeResponse.newBuilder()
                  .setCapacityBytes(request.getCapacityRange().getRequiredBytes())
                  .build())
          : inner.answer(asked);
    }
  };

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
        PluginShape.full113().topologies(io.csi4j.client.model.Topology.of(Map.of("zone", "z1")));
  }

  private final PluginShape shape;

  Defect() {
    this(PluginShape.full());
  }

  Defect(PluginShape shape) {
    this.shape = shape;
  }

  @Override
  public PluginShape shape() {
    return shape;
  }

  private static Message elsewhere(Message answer) {
    if (!(answer instanceof CreateSnapshotResponse created)) {
      return answer;
    }
    CreateSnapshotResponse.Builder changed = created.toBuilder();
    changed
        .getSnapshotBuilder()
        .clearAccessibleTopology()
        .addAccessibleTopologyBuilder()
        .putSegments("zone", "z9");
    return changed.build();
  }

  private static Message ofVolume(Message answer, Consumer<VolumeHealth.Builder> change) {
    if (answer instanceof ControllerGetVolumeHealthResponse told) {
      ControllerGetVolumeHealthResponse.Builder changed = told.toBuilder();
      change.accept(changed.getVolumeHealthBuilder());
      return changed.build();
    }
    if (answer instanceof NodeGetVolumeHealthResponse told) {
      NodeGetVolumeHealthResponse.Builder changed = told.toBuilder();
      change.accept(changed.getVolumeHealthBuilder());
      return changed.build();
    }
    return answer;
  }

  @Override
  public List<Message> answer(Backend inner, Asked asked, Memory memory) throws Refusal {
    return inner.answer(asked).stream().map(this::changed).toList();
  }

  Message changed(Message answer) {
    return answer;
  }

  /** The answer of a plugin that attaches no unknown volume, and says so with another code. */
  private static List<Message> unknownAs(StatusCode code, Backend inner, Asked asked)
      throws Refusal {
    try {
      return inner.answer(asked);
    } catch (Refusal e) {
      throw e.code() == StatusCode.NOT_FOUND
              && asked.request() instanceof ControllerPublishVolumeRequest request
              && !request.getNodeId().equals(LawfulRequests.NO_SUCH_NODE)
          ? new Refusal(code, e.text())
          : e;
    }
  }

  private static VolumeCapability usual() {
    return LawfulRequests.inMode(
        VolumeCapability.newBuilder()
            .setMount(VolumeCapability.MountVolume.getDefaultInstance())
            .build(),
        Mode.SINGLE_NODE_WRITER);
  }
}
