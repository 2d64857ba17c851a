package io.csi4j.conformance.internal.plugin;

import static io.csi4j.client.model.StatusCode.ABORTED;
import static io.csi4j.client.model.StatusCode.ALREADY_EXISTS;
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

import io.csi4j.client.internal.proto.ControllerExpandVolumeRequest;
import io.csi4j.client.internal.proto.ControllerExpandVolumeResponse;
import io.csi4j.client.internal.proto.ControllerGetCapabilitiesRequest;
import io.csi4j.client.internal.proto.ControllerGetCapabilitiesResponse;
import io.csi4j.client.internal.proto.ControllerGetVolumeHealthRequest;
import io.csi4j.client.internal.proto.ControllerGetVolumeRequest;
import io.csi4j.client.internal.proto.ControllerGetVolumeResponse;
import io.csi4j.client.internal.proto.ControllerListVolumeHealthRequest;
import io.csi4j.client.internal.proto.ControllerModifyVolumeRequest;
import io.csi4j.client.internal.proto.ControllerPublishVolumeRequest;
import io.csi4j.client.internal.proto.ControllerPublishVolumeResponse;
import io.csi4j.client.internal.proto.ControllerServiceCapability;
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
import io.csi4j.client.internal.text.SafeText;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The work of the controller with volumes that exist. */
final class ControllerCases {

  private static final ControllerGetCapabilitiesRequest CAPABILITIES =
      ControllerGetCapabilitiesRequest.getDefaultInstance();

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
        "controller/capabilities/are-well-formed",
        t -> {
          Set<ControllerServiceCapability.RPC.Type> types = new HashSet<>();
          for (ControllerServiceCapability each : offered(t)) {
            t.check(each.hasRpc(), "a type in each capability", "a capability without type");
            types.add(each.getRpc().getType());
          }
          if (types.contains(ControllerServiceCapability.RPC.Type.UNKNOWN)) {
            t.advise("The capability UNKNOWN (0) tells nobody anything.");
          }
          builds(
              t,
              types,
              ControllerServiceCapability.RPC.Type.PUBLISH_READONLY,
              ControllerServiceCapability.RPC.Type.PUBLISH_UNPUBLISH_VOLUME);
          builds(
              t,
              types,
              ControllerServiceCapability.RPC.Type.LIST_SNAPSHOTS,
              ControllerServiceCapability.RPC.Type.CREATE_DELETE_SNAPSHOT);
        });
    all.add(
        "controller/capabilities/stay-the-same",
        t ->
            t.check(
                new HashSet<>(offered(t)).equals(new HashSet<>(offered(t))),
                "the same capabilities",
                "others"));
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

  private static List<ControllerServiceCapability> offered(Trial t) throws CaseEndedException {
    return t.ok(CAPABILITIES, ControllerGetCapabilitiesResponse.class).getCapabilitiesList();
  }

  private static void builds(
      Trial t,
      Set<ControllerServiceCapability.RPC.Type> types,
      ControllerServiceCapability.RPC.Type one,
      ControllerServiceCapability.RPC.Type other) {
    if (types.contains(one) && !types.contains(other)) {
      t.advise(one + " without " + other + " is of no use to most callers.");
    }
  }

  private static void attached(CaseSteps all) {
    all.required(
        "controller/publish",
        t -> toAttach(t, t.volume()),
        "volume_id",
        "node_id",
        "volume_capability");
    all.add(
        "controller/publish/a-volume-is-attached",
        t -> t.adviseSize("publish_context", t.attach(t.volume())));
    all.add(
        "controller/publish/again-succeeds",
        t -> {
          ControllerPublishVolumeRequest request = toAttach(t, t.volume()).build();
          var first = t.ok(request, ControllerPublishVolumeResponse.class);
          var again = t.ok(request, ControllerPublishVolumeResponse.class);
          if (!first.getPublishContextMap().equals(again.getPublishContextMap())) {
            t.advise("The publish_context of a repeated call differs from the first one.");
          }
        });
    all.add(
        "controller/publish/an-unknown-volume-is-not-found",
        t -> t.refused(toAttach(t, NO_SUCH_VOLUME), NOT_FOUND));
    all.add(
        "controller/publish/an-unknown-node-is-not-found",
        t -> t.refused(toAttach(t, t.volume()).setNodeId(NO_SUCH_NODE), NOT_FOUND));
    all.add(
        "controller/publish/another-capability-is-refused",
        t -> {
          var request = toAttach(t, t.volume());
          t.ok(request);
          t.refusedBest(request.setVolumeCapability(otherCapability(t)), ALREADY_EXISTS);
        });
    all.add(
        "controller/publish/readonly-after-writable-is-refused",
        t -> {
          var request = toAttach(t, t.volume());
          t.ok(request);
          t.refused(request.setReadonly(true), ALREADY_EXISTS);
        });
    all.add(
        "controller/publish/a-node-takes-as-many-volumes-as-it-says",
        t -> {
          long most = t.offers().info().getMaxVolumesPerNode();
          Reply reply = t.call(toAttach(t, t.create()));
          for (long attached = 1; reply.isOk() && attached <= most; attached++) {
            reply = t.call(toAttach(t, t.create()));
          }
          t.check(
              reply.code() == RESOURCE_EXHAUSTED,
              "the volume after " + most + " fails with " + Trial.words(RESOURCE_EXHAUSTED),
              t.shown(reply));
        });
  }

  private static void detached(CaseSteps all) {
    all.required("controller/unpublish", t -> toDetach(t, t.volume()), "volume_id");
    all.add(
        "controller/unpublish/again-succeeds",
        t -> {
          Volume volume = t.volume();
          t.attach(volume);
          t.okTwice(toDetach(t, volume));
        });
    all.add(
        "controller/unpublish/the-volume-can-be-attached-otherwise",
        t -> {
          Volume volume = t.volume();
          t.attach(volume);
          t.ok(toDetach(t, volume));
          t.ok(toAttach(t, volume).setReadonly(true));
        });
    all.add(
        "controller/unpublish/without-a-node-from-every-node",
        t -> {
          Volume volume = t.volume();
          t.attach(volume);
          t.ok(toDetach(t, volume).clearNodeId());
          t.ok(toAttach(t, volume).setReadonly(true));
        });
    all.add(
        "controller/unpublish/an-unknown-volume-is-detached-or-not-found",
        t -> t.best(toDetach(t, NO_SUCH_VOLUME), OK, NOT_FOUND));
    all.add(
        "controller/unpublish/an-unknown-node-is-detached-or-not-found",
        t -> t.best(toDetach(t, t.volume()).setNodeId(NO_SUCH_NODE), OK, NOT_FOUND));
  }

  private static void validated(CaseSteps all) {
    all.required(
        "controller/validate", t -> toValidate(t, t.volume()), "volume_id", "volume_capabilities");
    all.add(
        "controller/validate/an-unknown-volume-is-not-found",
        t -> t.refused(toValidate(t, NO_SUCH_VOLUME), NOT_FOUND));
    all.add(
        "controller/validate/what-it-was-made-for-is-confirmed",
        t -> {
          ValidateVolumeCapabilitiesRequest request = toValidate(t, t.volume()).build();
          var answer = t.ok(request, ValidateVolumeCapabilitiesResponse.class);
          t.check(
              answer.hasConfirmed(),
              "confirmed is set",
              "confirmed is not set, message " + SafeText.quote(answer.getMessage()));
          var confirmed = answer.getConfirmed();
          t.check(
              new HashSet<>(confirmed.getVolumeCapabilitiesList())
                  .equals(new HashSet<>(request.getVolumeCapabilitiesList())),
              "the capabilities that were asked for are confirmed",
              "others");
          t.check(
              confirmed.getVolumeContextMap().isEmpty()
                  || confirmed.getVolumeContextMap().equals(request.getVolumeContextMap()),
              "the volume_context that was asked for is confirmed",
              "another one");
          t.check(
              confirmed.getParametersMap().isEmpty()
                  || confirmed.getParametersMap().equals(request.getParametersMap()),
              "the parameters that were asked for are confirmed",
              "others");
        });
  }

  private static List<ListVolumesResponse.Entry> listing(Trial t, int entries)
      throws CaseEndedException {
    return t.listed(toList(entries)).stream().map(ListVolumesResponse.Entry.class::cast).toList();
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
          Volume volume = t.create();
          t.check(holds(listing(t, 0), volume), "the new volume is listed", "it is not");
        });
    all.add(
        "controller/list/a-deleted-volume-disappears",
        t -> {
          Volume volume = t.create();
          t.ok(toDelete(t, volume));
          t.check(!holds(listing(t, 0), volume), "the deleted volume is not listed", "it is");
        });
    all.add(
        "controller/list/pages-hold-every-volume",
        t -> {
          List<Volume> made = List.of(t.create(), t.create(), t.create());
          var list = listing(t, 1);
          for (Volume each : made) {
            t.check(
                holds(list, each),
                "the volume " + SafeText.quote(each.getVolumeId()) + " is on one of the pages",
                "it is on none");
          }
        });
    all.add(
        "controller/list/pages-go-on-while-volumes-come-and-go",
        t -> {
          Volume first = t.create();
          Volume second = t.create();
          String token = t.ok(toList(1), ListVolumesResponse.class).getNextToken();
          t.check(
              !token.isEmpty(),
              "a next_token, as there are two volumes and one is on the page",
              "none");
          Volume third = t.create();
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
        t -> t.refused(toList(0).setStartingToken("csi4j-invalid-token"), ABORTED));
    all.add(
        "controller/list/a-negative-number-of-entries-is-refused",
        t -> t.best(toList(-1), INVALID_ARGUMENT));
    all.add(
        "controller/list/tells-where-a-volume-is-attached",
        t -> {
          Volume volume = t.create();
          t.attach(volume);
          String node = t.offers().info().getNodeId();
          t.check(
              listing(t, 0).stream()
                  .filter(each -> each.getVolume().getVolumeId().equals(volume.getVolumeId()))
                  .anyMatch(each -> each.getStatus().getPublishedNodeIdsList().contains(node)),
              "the node " + SafeText.quote(node) + " among published_node_ids",
              "not");
        });
  }

  private static void told(CaseSteps all) {
    all.add("controller/capacity/is-told", t -> capacity(t, GetCapacityRequest.newBuilder()));
    all.add(
        "controller/capacity/is-told-for-a-use",
        t ->
            capacity(
                t,
                GetCapacityRequest.newBuilder()
                    .addAllVolumeCapabilities(LawfulRequests.capabilities(t))
                    .putAllParameters(t.plugin().parameters())));
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
        t -> t.refused(toGet(NO_SUCH_VOLUME), NOT_FOUND));
    all.add(
        "controller/get/tells-of-the-volume",
        t -> {
          Volume volume = t.volume();
          var answer = t.ok(toGet(volume), ControllerGetVolumeResponse.class);
          t.checkSame("the volume ", volume.getVolumeId(), answer.getVolume().getVolumeId());
          t.check(answer.hasStatus(), "a status", "none");
        });
    all.add(
        "controller/get/tells-the-condition-of-the-volume",
        t -> {
          var answer = t.ok(toGet(t.volume()), ControllerGetVolumeResponse.class);
          t.check(answer.getStatus().hasVolumeCondition(), "a volume_condition", "none");
        });
  }

  private static void capacity(Trial t, GetCapacityRequest.Builder request)
      throws CaseEndedException {
    GetCapacityResponse answer = t.ok(request, GetCapacityResponse.class);
    t.check(
        answer.getAvailableCapacity() >= 0,
        "an available_capacity that is not negative",
        answer.getAvailableCapacity() + " bytes");
    t.check(
        !answer.hasMaximumVolumeSize()
            || !answer.hasMinimumVolumeSize()
            || answer.getMinimumVolumeSize().getValue() <= answer.getMaximumVolumeSize().getValue(),
        "a minimum_volume_size not above the maximum_volume_size",
        "it is above");
  }

  private static void expanded(CaseSteps all) {
    all.required(
        "controller/expand",
        t -> toExpand(t, t.create(), bigger(t)),
        "volume_id",
        "capacity_range");
    all.add(
        "controller/expand/an-unknown-volume-is-not-found",
        t -> t.refused(toExpand(t, NO_SUCH_VOLUME, bigger(t)), NOT_FOUND));
    all.add(
        "controller/expand/a-volume-grows",
        t -> {
          long size = grown(t, toExpand(t, t.create(), bigger(t)));
          t.check(size >= bigger(t), "at least " + bigger(t) + " bytes", size + " bytes");
        });
    all.add(
        "controller/expand/again-succeeds",
        t -> {
          var request = toExpand(t, t.create(), bigger(t));
          long first = grown(t, request);
          long again = grown(t, request);
          t.check(first == again, first + " bytes", again + " bytes");
        });
    all.add(
        "controller/expand/never-shrinks",
        t -> {
          Volume volume = t.create();
          long size = grown(t, toExpand(t, volume, bigger(t)));
          long then = grown(t, toExpand(t, volume, t.plugin().volumeBytes()));
          t.check(then >= size, "at least " + size + " bytes", then + " bytes");
        });
    all.add(
        "controller/expand/a-size-that-nobody-has-is-out-of-range",
        t ->
            t.refusedBest(toExpand(t, t.create(), FAR_TOO_MUCH), OUT_OF_RANGE, RESOURCE_EXHAUSTED));
    all.add(
        "controller/expand/a-limit-below-the-size-is-out-of-range",
        t -> t.refusedBest(toExpand(t, t.create(), 1).setCapacityRange(range(1, 1)), OUT_OF_RANGE));
    all.add(
        "controller/expand/a-volume-in-use-is-refused-where-only-others-grow",
        t -> {
          Volume volume = t.create();
          t.publish(volume);
          t.refusedBest(toExpand(t, volume, bigger(t)), FAILED_PRECONDITION);
        });
    all.add(
        "controller/expand/a-capability-that-does-not-fit-is-better-refused",
        t ->
            t.best(
                toExpand(t, t.create(), bigger(t)).setVolumeCapability(otherCapability(t)),
                OK,
                INVALID_ARGUMENT));
  }

  private static long grown(Trial t, ControllerExpandVolumeRequest.Builder request)
      throws CaseEndedException {
    return t.ok(request, ControllerExpandVolumeResponse.class).getCapacityBytes();
  }

  private static void modified(CaseSteps all) {
    all.required(
        "controller/modify", t -> toModify(t, t.volume()), "volume_id", "mutable_parameters");
    all.add(
        "controller/modify/an-unknown-volume-is-not-found",
        t -> t.refused(toModify(t, NO_SUCH_VOLUME), NOT_FOUND));
    all.add(
        "controller/modify/a-volume-is-modified-and-again",
        t -> t.okTwice(toModify(t, t.volume())));
    all.add(
        "controller/modify/an-unknown-parameter-is-better-refused",
        t ->
            t.best(
                toModify(t, t.volume())
                    .clearMutableParameters()
                    .putMutableParameters("csi4j.io/unknown", "1"),
                OK,
                INVALID_ARGUMENT));
  }
}
