package io.csi4j.conformance.internal.plugin;

import static io.csi4j.client.model.StatusCode.*;
import static io.csi4j.conformance.internal.plugin.LawfulRequests.*;
import static io.csi4j.conformance.internal.plugin.TestThings.*;

import com.google.protobuf.Message;
import io.csi4j.client.internal.proto.ControllerExpandVolumeRequest;
import io.csi4j.client.internal.proto.ControllerExpandVolumeResponse;
import io.csi4j.client.internal.proto.ControllerGetVolumeRequest;
import io.csi4j.client.internal.proto.ControllerGetVolumeResponse;
import io.csi4j.client.internal.proto.ControllerModifyVolumeRequest;
import io.csi4j.client.internal.proto.ControllerPublishVolumeRequest;
import io.csi4j.client.internal.proto.ControllerPublishVolumeResponse;
import io.csi4j.client.internal.proto.GetCapacityRequest;
import io.csi4j.client.internal.proto.GetCapacityResponse;
import io.csi4j.client.internal.proto.ListVolumesResponse;
import io.csi4j.client.internal.proto.ValidateVolumeCapabilitiesRequest;
import io.csi4j.client.internal.proto.ValidateVolumeCapabilitiesResponse;
import io.csi4j.client.internal.proto.Volume;
import io.csi4j.client.internal.proto.VolumeCapability;
import io.csi4j.client.internal.text.SafeText;
import io.csi4j.client.model.CsiOperation;
import java.util.List;

/** Cases for the controller's calls on existing volumes. */
final class ControllerCases {

  private ControllerCases() {}

  static void addTo(CaseSteps all) {
    capabilityCases(all);
    publishCases(all);
    unpublishCases(all);
    validateCases(all);
    listCases(all);
    capacityCases(all);
    getCases(all);
    expandCases(all);
    modifyCases(all);
  }

  private static void capabilityCases(CaseSteps all) {
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
          t.unoffered(Need.CREATE, CsiOperation.CREATE_VOLUME);
          t.unoffered(Need.ATTACH, CsiOperation.CONTROLLER_PUBLISH_VOLUME);
          t.unoffered(Need.LIST, CsiOperation.LIST_VOLUMES);
          t.unoffered(Need.CAPACITY, CsiOperation.GET_CAPACITY);
          t.unoffered(Need.SNAPSHOTS, CsiOperation.CREATE_SNAPSHOT);
          t.unoffered(Need.LIST_SNAPSHOTS, CsiOperation.LIST_SNAPSHOTS);
          t.unoffered(Need.GET_SNAPSHOT, CsiOperation.GET_SNAPSHOT);
          t.unoffered(Need.EXPAND, CsiOperation.CONTROLLER_EXPAND_VOLUME);
          t.unoffered(Need.GET, CsiOperation.CONTROLLER_GET_VOLUME);
          t.unoffered(Need.LIST_HEALTH, CsiOperation.CONTROLLER_LIST_VOLUME_HEALTH);
          t.unoffered(Need.GET_HEALTH, CsiOperation.CONTROLLER_GET_VOLUME_HEALTH);
          t.unoffered(Need.MODIFY, CsiOperation.CONTROLLER_MODIFY_VOLUME);
        });
  }

  private static void publishCases(CaseSteps all) {
    all.add(
        "controller/publish/a-volume-is-attached",
        t ->
            t.adviseSize(
                "publish_context",
                t.taken(toAttach(t, volume(t)), ControllerPublishVolumeResponse.class)
                    .getPublishContextMap()));
    all.add(
        "controller/publish/again-succeeds",
        t -> {
          ControllerPublishVolumeRequest request = toAttach(t, volume(t)).build();
          var first = t.taken(request, ControllerPublishVolumeResponse.class);
          var again = t.ok(request, ControllerPublishVolumeResponse.class);
          if (!first.getPublishContextMap().equals(again.getPublishContextMap())) {
            t.advise("The publish_context of a repeated call differs from the first one.");
          }
        });
    all.add(
        "controller/publish/a-node-takes-as-many-volumes-as-it-says",
        t -> {
          long most = t.offers().info().getMaxVolumesPerNode();
          for (long attached = 0; attached < most; attached++) {
            var request = toAttach(t, create(t));
            Reply before = t.prepared(() -> attachedOrFull(t, request));
            // Other users' volumes may also be attached to the node, so the node may already be
            // full.
            if (!before.isOk()) {
              return;
            }
          }
          Reply reply = t.call(toAttach(t, create(t)));
          if (reply.isOk()) {
            t.advise("The node takes more volumes than the " + most + " that it reports.");
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

  private static void unpublishCases(CaseSteps all) {
    all.add(
        "controller/unpublish/the-volume-can-be-attached-otherwise",
        t -> {
          Volume volume = attachedVolume(t);
          t.prepare(toDetach(t, volume));
          t.ok(toAttach(t, volume).setReadonly(true));
        });
    all.add(
        "controller/unpublish/without-a-node-from-every-node",
        t -> {
          Volume volume = attachedVolume(t);
          t.ok(toDetach(t, volume).clearNodeId());
          t.ok(toAttach(t, volume).setReadonly(true));
        });
  }

  private static void validateCases(CaseSteps all) {
    all.add(
        "controller/validate/what-it-was-made-for-is-confirmed",
        t -> {
          ValidateVolumeCapabilitiesRequest request =
              to(t, ValidateVolumeCapabilitiesRequest.newBuilder(), volume(t)).build();
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
              "the requested capabilities are among the confirmed ones",
              "others");
        });
  }

  private static List<String> ids(Trial t) {
    return ListPages.ids(t, "volume", toList(0));
  }

  private static void listCases(CaseSteps all) {
    ListPages.addTo(
        all,
        "controller/list",
        "volume",
        t -> toList(0),
        t -> create(t).getVolumeId(),
        t -> deletedVolume(t).getVolumeId());
    all.add(
        "controller/list/every-entry-names-a-volume",
        t -> {
          for (String id : ids(t)) {
            t.check(!id.isEmpty(), "a volume_id in each entry", "an empty one");
          }
        });
    all.add(
        "controller/list/pages-go-on-while-volumes-come-and-go",
        t -> {
          Volume first = create(t);
          Volume second = create(t);
          String token = t.ok(toList(1), ListVolumesResponse.class).getNextToken();
          t.check(
              !token.isEmpty(),
              "a next_token, as there are two volumes and one is on the page",
              "none");
          Volume third = create(t);
          t.ok(toDelete(t, first));
          Reply reply = t.call(toList(1).setStartingToken(token));
          t.check(
              reply.isOk() || reply.code() == ABORTED,
              "the next page, or " + Trial.words(ABORTED),
              t.shown(reply));
          t.check(
              ids(t).containsAll(List.of(third.getVolumeId(), second.getVolumeId())),
              "both volumes that there are",
              "fewer");
        });
    all.add(
        "controller/list/tells-where-a-volume-is-attached",
        t -> {
          Volume volume = create(t);
          attached(t, volume);
          String node = t.offers().info().getNodeId();
          t.check(
              ListPages.entries(t, toList(0)).stream()
                  .map(ListVolumesResponse.Entry.class::cast)
                  .filter(each -> each.getVolume().getVolumeId().equals(volume.getVolumeId()))
                  .anyMatch(each -> each.getStatus().getPublishedNodeIdsList().contains(node)),
              "the node " + SafeText.quote(node) + " among published_node_ids",
              "not");
        });
  }

  private static void capacityCases(CaseSteps all) {
    all.add("controller/capacity/is-told", t -> checkCapacity(t, GetCapacityRequest.newBuilder()));
    all.add(
        "controller/capacity/is-told-for-a-use",
        t -> {
          // Each capability has its own request, because a request with several capabilities
          // concerns volumes that support all of them.
          for (VolumeCapability each : capabilities(t)) {
            checkCapacity(
                t,
                GetCapacityRequest.newBuilder()
                    .addVolumeCapabilities(each)
                    .putAllParameters(t.plugin().parameters()));
          }
        });
  }

  static void checkCapacity(Trial t, GetCapacityRequest.Builder request) {
    GetCapacityResponse answer = t.ok(request, GetCapacityResponse.class);
    t.check(
        answer.getAvailableCapacity() >= 0,
        "an available_capacity that is not negative",
        answer.getAvailableCapacity() + " bytes");
    t.check(
        answer.getMaximumVolumeSize().getValue() >= 0
            && answer.getMinimumVolumeSize().getValue() >= 0,
        "a maximum_volume_size and a minimum_volume_size that are not negative",
        "%s and %s bytes"
            .formatted(
                answer.getMaximumVolumeSize().getValue(),
                answer.getMinimumVolumeSize().getValue()));
  }

  private static void getCases(CaseSteps all) {
    all.add(
        "controller/get/tells-of-the-volume",
        t -> {
          Volume volume = volume(t);
          var answer =
              t.ok(
                  to(t, ControllerGetVolumeRequest.newBuilder(), volume),
                  ControllerGetVolumeResponse.class);
          t.checkSame("the volume ", volume.getVolumeId(), answer.getVolume().getVolumeId());
          t.check(answer.hasStatus(), "a status", "none");
        });
    all.add(
        "controller/get/tells-the-condition-of-the-volume",
        t -> {
          var answer =
              t.ok(
                  to(t, ControllerGetVolumeRequest.newBuilder(), volume(t)),
                  ControllerGetVolumeResponse.class);
          t.check(answer.getStatus().hasVolumeCondition(), "a volume_condition", "none");
        });
  }

  private static void expandCases(CaseSteps all) {
    all.add(
        "controller/expand/a-volume-grows",
        t -> {
          Volume volume = create(t);
          long size =
              t.taken(toExpand(t, volume, bigger(t)), ControllerExpandVolumeResponse.class)
                  .getCapacityBytes();
          t.check(
              size >= bigger(t) || (size == 0 && volume.getCapacityBytes() == 0),
              "at least " + bigger(t) + " bytes",
              size + " bytes");
        });
    all.add(
        "controller/expand/again-succeeds",
        t -> {
          var request = toExpand(t, create(t), bigger(t));
          t.prepare(request);
          t.best(request, OK);
        });
    all.add(
        "controller/expand/never-shrinks",
        t -> {
          Volume volume = create(t);
          long size = t.prepared(() -> grown(t, toExpand(t, volume, bigger(t))));
          Reply reply = t.best(toExpand(t, volume, t.plugin().volumeBytes()), OK, OUT_OF_RANGE);
          checkGrown(t, volume, reply, size);
        });
    all.add(
        "controller/expand/a-size-that-nobody-has-is-out-of-range",
        t -> {
          Volume volume = create(t);
          Reply reply =
              t.best(
                  toExpand(t, volume, FAR_TOO_MUCH),
                  OK,
                  OUT_OF_RANGE,
                  RESOURCE_EXHAUSTED,
                  INVALID_ARGUMENT);
          checkGrown(t, volume, reply, FAR_TOO_MUCH);
        });
    all.add(
        "controller/expand/a-volume-in-use-is-refused-where-only-others-grow",
        t -> {
          Volume volume = create(t);
          if (t.offers().node()) {
            published(t, volume);
          } else {
            attached(t, volume);
          }
          long size = volume.getCapacityBytes();
          Reply reply =
              t.best(toExpand(t, volume, Math.max(bigger(t), 2 * size)), FAILED_PRECONDITION);
          if (reply.isOk() && size > 0) {
            long then = t.answer(reply, ControllerExpandVolumeResponse.class).getCapacityBytes();
            t.check(
                then <= size,
                "a refusal, or the " + size + " bytes that it had " + "before",
                then + " bytes");
          }
        });
  }

  /** Checks that an expanded volume has at least this size. Plugins that report no sizes pass. */
  private static void checkGrown(Trial t, Volume volume, Reply reply, long least) {
    if (reply.isOk()) {
      long size = t.answer(reply, ControllerExpandVolumeResponse.class).getCapacityBytes();
      t.check(
          size >= least || volume.getCapacityBytes() == 0,
          "a refusal, or at least " + least + " bytes",
          size + " bytes");
    }
  }

  private static long grown(Trial t, ControllerExpandVolumeRequest.Builder request) {
    return t.ok(request, ControllerExpandVolumeResponse.class).getCapacityBytes();
  }

  private static void modifyCases(CaseSteps all) {
    all.add(
        "controller/modify/a-volume-is-modified-and-again",
        t -> {
          var request = to(t, ControllerModifyVolumeRequest.newBuilder(), volume(t)).build();
          Message unused = t.taken(request, Message.class);
          t.ok(request);
        });
  }
}
