package io.csi4j.conformance.internal.plugin;

import static io.csi4j.client.model.StatusCode.ABORTED;
import static io.csi4j.client.model.StatusCode.FAILED_PRECONDITION;
import static io.csi4j.client.model.StatusCode.INVALID_ARGUMENT;
import static io.csi4j.client.model.StatusCode.NOT_FOUND;
import static io.csi4j.client.model.StatusCode.OK;
import static io.csi4j.client.model.StatusCode.OUT_OF_RANGE;
import static io.csi4j.client.model.StatusCode.RESOURCE_EXHAUSTED;
import static io.csi4j.conformance.internal.plugin.LawfulRequests.FAR_TOO_MUCH;
import static io.csi4j.conformance.internal.plugin.LawfulRequests.NO_SUCH_NODE;
import static io.csi4j.conformance.internal.plugin.LawfulRequests.NO_SUCH_VOLUME;
import static io.csi4j.conformance.internal.plugin.LawfulRequests.bigger;
import static io.csi4j.conformance.internal.plugin.LawfulRequests.otherCapability;
import static io.csi4j.conformance.internal.plugin.LawfulRequests.range;
import static io.csi4j.conformance.internal.plugin.LawfulRequests.toAttach;
import static io.csi4j.conformance.internal.plugin.LawfulRequests.toDelete;
import static io.csi4j.conformance.internal.plugin.LawfulRequests.toDetach;
import static io.csi4j.conformance.internal.plugin.LawfulRequests.toExpand;
import static io.csi4j.conformance.internal.plugin.LawfulRequests.toGet;
import static io.csi4j.conformance.internal.plugin.LawfulRequests.toList;
import static io.csi4j.conformance.internal.plugin.LawfulRequests.toModify;
import static io.csi4j.conformance.internal.plugin.LawfulRequests.toValidate;

import com.google.protobuf.Message;
import io.csi4j.client.internal.proto.ControllerExpandVolumeRequest;
import io.csi4j.client.internal.proto.ControllerExpandVolumeResponse;
import io.csi4j.client.internal.proto.ControllerGetVolumeHealthRequest;
import io.csi4j.client.internal.proto.ControllerGetVolumeRequest;
import io.csi4j.client.internal.proto.ControllerGetVolumeResponse;
import io.csi4j.client.internal.proto.ControllerListVolumeHealthRequest;
import io.csi4j.client.internal.proto.ControllerModifyVolumeRequest;
import io.csi4j.client.internal.proto.ControllerPublishVolumeRequest;
import io.csi4j.client.internal.proto.ControllerPublishVolumeResponse;
import io.csi4j.client.internal.proto.CreateSnapshotRequest;
import io.csi4j.client.internal.proto.CreateVolumeRequest;
import io.csi4j.client.internal.proto.GetCapacityRequest;
import io.csi4j.client.internal.proto.GetCapacityResponse;
import io.csi4j.client.internal.proto.GetSnapshotRequest;
import io.csi4j.client.internal.proto.ListSnapshotsRequest;
import io.csi4j.client.internal.proto.ListVolumesRequest;
import io.csi4j.client.internal.proto.ListVolumesResponse;
import io.csi4j.client.internal.proto.ValidateVolumeCapabilitiesRequest;
import io.csi4j.client.internal.proto.ValidateVolumeCapabilitiesResponse;
import io.csi4j.client.internal.proto.Volume;
import io.csi4j.client.internal.proto.VolumeCapability;
import io.csi4j.client.internal.text.SafeText;
import java.util.List;

/** The work of the controller with volumes that exist. */
final class ControllerCases {

  private ControllerCases() {}

  static void addTo(CaseSteps all) {
    capabilities(all);
    attached(all);
    detached(all);
    validated(all);
    listed(all);
    told(all);
    expanded(all);
    modified(all);
  }

  private static void capabilities(CaseSteps all) {
    all.add(
        "controller/capabilities/published-nodes-bring-attaching",
        t ->
            t.check(
                !Need.LIST_NODES.met(t) || Need.ATTACH.met(t),
                "PUBLISH_UNPUBLISH_VOLUME, as LIST_VOLUMES_PUBLISHED_NODES is offered",
                "LIST_VOLUMES_PUBLISHED_NODES alone"));
    all.add(
        "controller/capabilities/what-is-not-offered-is-not-implemented",
        t -> {
          t.unoffered(Need.CREATE, CreateVolumeRequest.getDefaultInstance());
          t.unoffered(Need.ATTACH, ControllerPublishVolumeRequest.getDefaultInstance());
          t.unoffered(Need.LIST, ListVolumesRequest.getDefaultInstance());
          t.unoffered(Need.CAPACITY, GetCapacityRequest.getDefaultInstance());
          t.unoffered(Need.SNAPSHOTS, CreateSnapshotRequest.getDefaultInstance());
          t.unoffered(Need.LIST_SNAPSHOTS, ListSnapshotsRequest.getDefaultInstance());
          t.unoffered(Need.GET_SNAPSHOT, GetSnapshotRequest.getDefaultInstance());
          t.unoffered(Need.EXPAND, ControllerExpandVolumeRequest.getDefaultInstance());
          t.unoffered(Need.GET, ControllerGetVolumeRequest.getDefaultInstance());
          t.unoffered(Need.LIST_HEALTH, ControllerListVolumeHealthRequest.getDefaultInstance());
          t.unoffered(Need.GET_HEALTH, ControllerGetVolumeHealthRequest.getDefaultInstance());
          t.unoffered(Need.MODIFY, ControllerModifyVolumeRequest.getDefaultInstance());
        });
  }

  private static void attached(CaseSteps all) {
    all.required(
        "controller/publish",
        t -> toAttach(t, TestVolumes.volume(t)),
        "volume_id",
        "node_id",
        "volume_capability");
    all.add(
        "controller/publish/a-volume-is-attached",
        t ->
            t.adviseSize(
                "publish_context",
                t.taken(toAttach(t, TestVolumes.volume(t)), ControllerPublishVolumeResponse.class)
                    .getPublishContextMap()));
    all.add(
        "controller/publish/again-succeeds",
        t -> {
          ControllerPublishVolumeRequest request = toAttach(t, TestVolumes.volume(t)).build();
          var first = t.taken(request, ControllerPublishVolumeResponse.class);
          var again = t.ok(request, ControllerPublishVolumeResponse.class);
          if (!first.getPublishContextMap().equals(again.getPublishContextMap())) {
            t.advise("The publish_context of a repeated call differs from the first one.");
          }
        });
    all.add(
        "controller/publish/an-unknown-volume-is-not-found",
        t ->
            UnknownThings.volumeIfTaken(
                t, NOT_FOUND, volume -> toAttach(t, volume), volume -> toDetach(t, volume)));
    all.ask(
        "controller/publish/an-unknown-node-is-not-found",
        t -> toAttach(t, TestVolumes.volume(t)).setNodeId(NO_SUCH_NODE));
    all.ask(
        "controller/publish/another-capability-is-attached-or-refused",
        t -> {
          Volume volume = TestVolumes.volume(t);
          TestVolumes.attach(t, volume);
          return toAttach(t, volume).setVolumeCapability(otherCapability(t));
        });
    all.ask(
        "controller/publish/readonly-after-writable-is-attached-or-refused",
        t -> {
          Volume volume = TestVolumes.volume(t);
          TestVolumes.attach(t, volume);
          return toAttach(t, volume).setReadonly(true);
        });
    all.add(
        "controller/publish/a-node-takes-as-many-volumes-as-it-says",
        t -> {
          long most = t.offers().info().getMaxVolumesPerNode();
          for (long attached = 0; attached < most; attached++) {
            var request = toAttach(t, TestVolumes.create(t));
            Reply before = t.prepared(() -> attachedOrFull(t, request));
            // Volumes of others may be attached to the node as well.
            if (!before.isOk()) {
              return;
            }
          }
          Reply reply = t.call(toAttach(t, TestVolumes.create(t)));
          if (reply.isOk()) {
            t.advise("The node takes more volumes than the " + most + " that it tells.");
          } else {
            t.check(
                reply.code() == RESOURCE_EXHAUSTED,
                "the volume after " + most + " fails with " + Trial.words(RESOURCE_EXHAUSTED),
                t.shown(reply));
          }
        });
  }

  private static Reply attachedOrFull(Trial t, ControllerPublishVolumeRequest.Builder request) {
    Reply reply = t.call(request);
    t.check(
        reply.isOk() || reply.code() == RESOURCE_EXHAUSTED,
        reply,
        "ends with " + Trial.words(OK, RESOURCE_EXHAUSTED));
    return reply;
  }

  private static void detached(CaseSteps all) {
    all.required("controller/unpublish", t -> toDetach(t, TestVolumes.volume(t)), "volume_id");
    all.add(
        "controller/unpublish/again-succeeds",
        t -> {
          Volume volume = TestVolumes.volume(t);
          TestVolumes.attach(t, volume);
          t.okTwice(toDetach(t, volume));
        });
    all.add(
        "controller/unpublish/the-volume-can-be-attached-otherwise",
        t -> {
          Volume volume = TestVolumes.volume(t);
          TestVolumes.attach(t, volume);
          t.prepare(toDetach(t, volume));
          t.ok(toAttach(t, volume).setReadonly(true));
        });
    all.add(
        "controller/unpublish/without-a-node-from-every-node",
        t -> {
          Volume volume = TestVolumes.volume(t);
          TestVolumes.attach(t, volume);
          t.ok(toDetach(t, volume).clearNodeId());
          t.ok(toAttach(t, volume).setReadonly(true));
        });
    all.ask(
        "controller/unpublish/an-unknown-volume-is-detached-or-not-found",
        t -> toDetach(t, NO_SUCH_VOLUME));
    all.ask(
        "controller/unpublish/an-unknown-node-is-detached-or-not-found",
        t -> toDetach(t, TestVolumes.volume(t)).setNodeId(NO_SUCH_NODE));
  }

  private static void validated(CaseSteps all) {
    all.required(
        "controller/validate",
        t -> toValidate(t, TestVolumes.volume(t)),
        "volume_id",
        "volume_capabilities");
    all.add(
        "controller/validate/an-unknown-volume-is-not-found",
        t -> UnknownThings.volume(t, NOT_FOUND, volume -> toValidate(t, volume)));
    all.add(
        "controller/validate/what-it-was-made-for-is-confirmed",
        t -> {
          ValidateVolumeCapabilitiesRequest request = toValidate(t, TestVolumes.volume(t)).build();
          var answer = t.ok(request, ValidateVolumeCapabilitiesResponse.class);
          if (!answer.hasConfirmed() && t.plugin().existingVolume().isPresent()) {
            t.advise(
                "The capability of the description is not confirmed for the existing volume: "
                    + SafeText.quote(answer.getMessage())
                    + ".");
            return;
          }
          t.check(
              answer.hasConfirmed(),
              "confirmed is set",
              "confirmed is not set, message " + SafeText.quote(answer.getMessage()));
          var confirmed = answer.getConfirmed();
          t.check(
              confirmed
                  .getVolumeCapabilitiesList()
                  .containsAll(request.getVolumeCapabilitiesList()),
              "the capabilities that were asked for are among the confirmed ones",
              "others");
        });
  }

  private static List<ListVolumesResponse.Entry> listing(Trial t, int entries) {
    return ListPages.entries(t, toList(entries)).stream()
        .map(ListVolumesResponse.Entry.class::cast)
        .toList();
  }

  private static boolean holds(List<ListVolumesResponse.Entry> list, Volume volume) {
    return list.stream()
        .anyMatch(each -> each.getVolume().getVolumeId().equals(volume.getVolumeId()));
  }

  private static void listed(CaseSteps all) {
    all.add(
        "controller/list/every-entry-names-a-volume",
        t -> {
          for (var each : listing(t, 0)) {
            t.check(
                !each.getVolume().getVolumeId().isEmpty(),
                "a volume_id in each entry",
                "an empty one");
          }
        });
    all.add(
        "controller/list/a-new-volume-appears",
        t -> {
          Volume volume = TestVolumes.create(t);
          t.check(holds(listing(t, 0), volume), "the new volume is listed", "it is not");
        });
    all.add(
        "controller/list/a-deleted-volume-disappears",
        t -> {
          Volume volume = TestVolumes.deletedVolume(t);
          t.check(!holds(listing(t, 0), volume), "the deleted volume is not listed", "it is");
        });
    all.add(
        "controller/list/pages-hold-every-volume",
        t -> {
          List<Volume> made =
              List.of(TestVolumes.create(t), TestVolumes.create(t), TestVolumes.create(t));
          for (Volume each : made) {
            t.check(
                isOnAPage(t, each),
                "the volume " + SafeText.quote(each.getVolumeId()) + " is on one of the pages",
                "it is on none");
          }
        });
    all.add(
        "controller/list/pages-go-on-while-volumes-come-and-go",
        t -> {
          Volume first = TestVolumes.create(t);
          Volume second = TestVolumes.create(t);
          String token = t.ok(toList(1), ListVolumesResponse.class).getNextToken();
          t.check(
              !token.isEmpty(),
              "a next_token, as there are two volumes and one is on the page",
              "none");
          Volume third = TestVolumes.create(t);
          t.ok(toDelete(t, first));
          Reply reply = t.call(toList(1).setStartingToken(token));
          t.check(
              reply.isOk() || reply.code() == ABORTED,
              "the next page, or " + Trial.words(ABORTED),
              t.shown(reply));
          var list = listing(t, 0);
          t.check(
              holds(list, third) && holds(list, second), "both volumes that there are", "fewer");
        });
    all.add(
        "controller/list/an-invalid-token-is-aborted",
        t ->
            t.refusedRather(
                toList(0).setStartingToken("csi4j-invalid-token"), ABORTED, INVALID_ARGUMENT));
    all.ask("controller/list/a-negative-number-of-entries-is-refused", t -> toList(-1));
    all.add(
        "controller/list/tells-where-a-volume-is-attached",
        t -> {
          Volume volume = TestVolumes.create(t);
          TestVolumes.attach(t, volume);
          String node = t.offers().info().getNodeId();
          t.check(
              isListedOnNode(t, volume),
              "the node " + SafeText.quote(node) + " among published_node_ids",
              "not");
        });
  }

  /**
   * Whether one of three lists has the volume: a list in pages may miss one while others change.
   */
  private static boolean isOnAPage(Trial t, Volume volume) {
    for (int asked = 0; asked < 3; asked++) {
      if (holds(listing(t, 1), volume)) {
        return true;
      }
    }
    return false;
  }

  private static boolean isListedOnNode(Trial t, Volume volume) {
    String node = t.offers().info().getNodeId();
    return listing(t, 0).stream()
        .filter(each -> each.getVolume().getVolumeId().equals(volume.getVolumeId()))
        .anyMatch(each -> each.getStatus().getPublishedNodeIdsList().contains(node));
  }

  private static void told(CaseSteps all) {
    all.add("controller/capacity/is-told", t -> capacity(t, GetCapacityRequest.newBuilder()));
    all.add(
        "controller/capacity/is-told-for-a-use",
        t -> {
          // One at a time: a volume would have to be usable in all ways of one request.
          for (VolumeCapability each : LawfulRequests.capabilities(t)) {
            capacity(
                t,
                GetCapacityRequest.newBuilder()
                    .addVolumeCapabilities(each)
                    .putAllParameters(t.plugin().parameters()));
          }
        });
    all.add(
        "topology/the-capacity-of-a-place-is-told",
        t ->
            capacity(
                t,
                GetCapacityRequest.newBuilder()
                    .setAccessibleTopology(t.offers().info().getAccessibleTopology())));
    all.required("controller/get", t -> toGet(NO_SUCH_VOLUME), "volume_id");
    all.add(
        "controller/get/an-unknown-volume-is-not-found",
        t -> UnknownThings.volume(t, NOT_FOUND, volume -> toGet(volume)));
    all.add(
        "controller/get/tells-of-the-volume",
        t -> {
          Volume volume = TestVolumes.volume(t);
          var answer = t.ok(toGet(volume), ControllerGetVolumeResponse.class);
          t.checkSame("the volume ", volume.getVolumeId(), answer.getVolume().getVolumeId());
          t.check(answer.hasStatus(), "a status", "none");
        });
    all.add(
        "controller/get/tells-the-condition-of-the-volume",
        t -> {
          var answer = t.ok(toGet(TestVolumes.volume(t)), ControllerGetVolumeResponse.class);
          t.check(answer.getStatus().hasVolumeCondition(), "a volume_condition", "none");
        });
  }

  private static void capacity(Trial t, GetCapacityRequest.Builder request) {
    GetCapacityResponse answer = t.ok(request, GetCapacityResponse.class);
    t.check(
        answer.getAvailableCapacity() >= 0,
        "an available_capacity that is not negative",
        answer.getAvailableCapacity() + " bytes");
    t.check(
        answer.getMaximumVolumeSize().getValue() >= 0
            && answer.getMinimumVolumeSize().getValue() >= 0,
        "a maximum_volume_size and a minimum_volume_size that are not negative",
        answer.getMaximumVolumeSize().getValue()
            + " and "
            + answer.getMinimumVolumeSize().getValue()
            + " bytes");
  }

  private static void expanded(CaseSteps all) {
    all.required(
        "controller/expand",
        t -> toExpand(t, TestVolumes.create(t), t.plugin().volumeBytes()),
        "volume_id",
        "capacity_range");
    all.add(
        "controller/expand/an-unknown-volume-is-not-found",
        t ->
            UnknownThings.volumeIfTaken(
                t, NOT_FOUND, volume -> toExpand(t, volume, t.plugin().volumeBytes()), null));
    all.add(
        "controller/expand/a-volume-grows",
        t -> {
          Volume volume = TestVolumes.create(t);
          long size =
              t.taken(toExpand(t, volume, bigger(t)), ControllerExpandVolumeResponse.class)
                  .getCapacityBytes();
          t.check(
              size >= bigger(t) || (size == 0 && volume.getCapacityBytes() == 0),
              "at least " + bigger(t) + " bytes",
              size + " bytes");
        });
    all.ask(
        "controller/expand/again-succeeds",
        t -> {
          var request = toExpand(t, TestVolumes.create(t), bigger(t));
          t.prepared(() -> grown(t, request));
          return request;
        });
    all.add(
        "controller/expand/never-shrinks",
        t -> {
          Volume volume = TestVolumes.create(t);
          long size = t.prepared(() -> grown(t, toExpand(t, volume, bigger(t))));
          Reply reply = t.best(toExpand(t, volume, t.plugin().volumeBytes()), OK, OUT_OF_RANGE);
          if (reply.isOk()) {
            long then = t.answer(reply, ControllerExpandVolumeResponse.class).getCapacityBytes();
            t.check(
                then >= size || volume.getCapacityBytes() == 0,
                "at least " + size + " bytes",
                then + " bytes");
          }
        });
    all.add(
        "controller/expand/a-size-that-nobody-has-is-out-of-range",
        t -> {
          Volume volume = TestVolumes.create(t);
          Reply reply =
              t.best(
                  toExpand(t, volume, FAR_TOO_MUCH),
                  OK,
                  OUT_OF_RANGE,
                  RESOURCE_EXHAUSTED,
                  INVALID_ARGUMENT);
          if (reply.isOk()) {
            long size = t.answer(reply, ControllerExpandVolumeResponse.class).getCapacityBytes();
            t.check(
                size >= FAR_TOO_MUCH || volume.getCapacityBytes() == 0,
                "a refusal, or at least " + FAR_TOO_MUCH + " bytes",
                size + " bytes");
          }
        });
    all.ask(
        "controller/expand/a-limit-below-the-size-is-left-or-refused",
        t -> toExpand(t, TestVolumes.create(t), 1).setCapacityRange(range(1, 1)));
    all.add(
        "controller/expand/a-volume-in-use-is-refused-where-only-others-grow",
        t -> {
          Volume volume = TestVolumes.create(t);
          if (t.offers().node()) {
            TestVolumes.publish(t, volume);
          } else {
            TestVolumes.attach(t, volume);
          }
          long size = volume.getCapacityBytes();
          Reply reply =
              t.best(toExpand(t, volume, Math.max(bigger(t), 2 * size)), FAILED_PRECONDITION);
          if (reply.isOk() && size > 0) {
            long then = t.answer(reply, ControllerExpandVolumeResponse.class).getCapacityBytes();
            t.check(
                then <= size, "a refusal, or the " + size + " bytes of before", then + " bytes");
          }
        });
    all.ask(
        "controller/expand/a-capability-that-does-not-fit-is-better-refused",
        t -> toExpand(t, TestVolumes.create(t), bigger(t)).setVolumeCapability(otherCapability(t)));
  }

  private static long grown(Trial t, ControllerExpandVolumeRequest.Builder request) {
    return t.ok(request, ControllerExpandVolumeResponse.class).getCapacityBytes();
  }

  private static void modified(CaseSteps all) {
    all.required(
        "controller/modify",
        t -> toModify(t, TestVolumes.volume(t)),
        "volume_id",
        "mutable_parameters");
    all.add(
        "controller/modify/an-unknown-volume-is-not-found",
        t -> UnknownThings.volumeIfTaken(t, NOT_FOUND, volume -> toModify(t, volume), null));
    all.add(
        "controller/modify/a-volume-is-modified-and-again",
        t -> {
          var request = toModify(t, TestVolumes.volume(t)).build();
          Message unused = t.taken(request, Message.class);
          t.ok(request);
        });
    all.ask(
        "controller/modify/an-unknown-parameter-is-better-refused",
        t ->
            toModify(t, TestVolumes.volume(t))
                .clearMutableParameters()
                .putMutableParameters("csi4j.io/unknown", "1"));
  }
}
