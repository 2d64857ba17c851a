package io.csi4j.conformance.internal.plugin;

import static io.csi4j.client.model.StatusCode.ABORTED;
import static io.csi4j.client.model.StatusCode.ALREADY_EXISTS;
import static io.csi4j.client.model.StatusCode.FAILED_PRECONDITION;
import static io.csi4j.client.model.StatusCode.INVALID_ARGUMENT;
import static io.csi4j.client.model.StatusCode.NOT_FOUND;
import static io.csi4j.client.model.StatusCode.OK;
import static io.csi4j.client.model.StatusCode.OUT_OF_RANGE;
import static io.csi4j.client.model.StatusCode.RESOURCE_EXHAUSTED;
import static io.csi4j.client.model.StatusCode.UNIMPLEMENTED;
import static io.csi4j.conformance.internal.plugin.Cases.NO_SUCH_NODE;
import static io.csi4j.conformance.internal.plugin.Cases.NO_SUCH_VOLUME;
import static io.csi4j.conformance.internal.plugin.Cases.expect;
import static io.csi4j.conformance.internal.plugin.Cases.required;

import com.google.protobuf.Message;
import io.csi4j.client.internal.proto.ControllerExpandVolumeRequest;
import io.csi4j.client.internal.proto.ControllerGetCapabilitiesRequest;
import io.csi4j.client.internal.proto.ControllerGetVolumeRequest;
import io.csi4j.client.internal.proto.ControllerGetVolumeResponse;
import io.csi4j.client.internal.proto.ControllerModifyVolumeRequest;
import io.csi4j.client.internal.proto.ControllerPublishVolumeRequest;
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
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The work of the controller with volumes that exist. */
final class ControllerCases {

  private static final long FAR_TOO_MUCH = Long.MAX_VALUE / 2;
  private static final int MANY_PAGES = 10_000;
  private static final ControllerGetCapabilitiesRequest CAPABILITIES =
      ControllerGetCapabilitiesRequest.getDefaultInstance();

  private ControllerCases() {}

  static List<SuiteCase> all() {
    List<SuiteCase> all = new ArrayList<>();
    capabilities(all);
    attached(all);
    detached(all);
    validated(all);
    listed(all);
    told(all);
    expanded(all);
    modified(all);
    return all;
  }

  private static void capabilities(List<SuiteCase> all) {
    all.add(
        expect(
            "controller/capabilities/are-well-formed",
            "Every capability of the controller has a type, and those that it builds on are there.",
            "ControllerGetCapabilities",
            List.of(Needs.CONTROLLER),
            t -> {
              Set<ControllerServiceCapability.RPC.Type> types = new HashSet<>();
              for (ControllerServiceCapability each :
                  t.ok(CsiRpc.CONTROLLER_GET_CAPABILITIES, CAPABILITIES).getCapabilitiesList()) {
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
            }));
    all.add(
        expect(
            "controller/capabilities/stay-the-same",
            "Asked again, the controller offers the same.",
            "ControllerGetCapabilities",
            List.of(Needs.CONTROLLER),
            t ->
                t.check(
                    new HashSet<>(
                            t.ok(CsiRpc.CONTROLLER_GET_CAPABILITIES, CAPABILITIES)
                                .getCapabilitiesList())
                        .equals(
                            new HashSet<>(
                                t.ok(CsiRpc.CONTROLLER_GET_CAPABILITIES, CAPABILITIES)
                                    .getCapabilitiesList())),
                    "the same capabilities",
                    "others")));
    all.add(
        expect(
                "controller/capabilities/what-is-not-offered-is-not-implemented",
                "A call whose capability the controller does not offer is not implemented.",
                "Error Scheme",
                List.of(Needs.CONTROLLER),
                t -> {
                  unoffered(
                      t,
                      Needs.CREATE,
                      CsiRpc.CREATE_VOLUME,
                      CreateVolumeRequest.getDefaultInstance());
                  unoffered(
                      t,
                      Needs.ATTACH,
                      CsiRpc.CONTROLLER_PUBLISH_VOLUME,
                      ControllerPublishVolumeRequest.getDefaultInstance());
                  unoffered(
                      t, Needs.LIST, CsiRpc.LIST_VOLUMES, ListVolumesRequest.getDefaultInstance());
                  unoffered(
                      t,
                      Needs.CAPACITY,
                      CsiRpc.GET_CAPACITY,
                      GetCapacityRequest.getDefaultInstance());
                  unoffered(
                      t,
                      Needs.SNAPSHOTS,
                      CsiRpc.CREATE_SNAPSHOT,
                      CreateSnapshotRequest.getDefaultInstance());
                  unoffered(
                      t,
                      Needs.LIST_SNAPSHOTS,
                      CsiRpc.LIST_SNAPSHOTS,
                      ListSnapshotsRequest.getDefaultInstance());
                  unoffered(
                      t,
                      Needs.GET_SNAPSHOT,
                      CsiRpc.GET_SNAPSHOT,
                      GetSnapshotRequest.getDefaultInstance());
                  unoffered(
                      t,
                      Needs.EXPAND,
                      CsiRpc.CONTROLLER_EXPAND_VOLUME,
                      ControllerExpandVolumeRequest.getDefaultInstance());
                  unoffered(
                      t,
                      Needs.GET,
                      CsiRpc.CONTROLLER_GET_VOLUME,
                      ControllerGetVolumeRequest.getDefaultInstance());
                  unoffered(
                      t,
                      Needs.MODIFY,
                      CsiRpc.CONTROLLER_MODIFY_VOLUME,
                      ControllerModifyVolumeRequest.getDefaultInstance());
                })
            .rows(510));
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

  private static <Q extends Message, A extends Message> void unoffered(
      Trial t, Need need, CsiRpc<Q, A> rpc, Q request) throws CaseEndedException {
    if (!need.met(t)) {
      t.best(rpc, request, UNIMPLEMENTED);
    }
  }

  private static void attached(List<SuiteCase> all) {
    List<Need> needs = List.of(Needs.ATTACH, Needs.VOLUME);
    String place = "ControllerPublishVolume";
    for (String field : List.of("volume_id", "node_id", "volume_capability")) {
      all.add(
          required(
              "controller/publish",
              CsiRpc.CONTROLLER_PUBLISH_VOLUME,
              field,
              needs,
              t -> LawfulRequests.attach(t, CaseSteps.volume(t)).build()));
    }
    all.add(
        expect(
            "controller/publish/a-volume-is-attached",
            "ControllerPublishVolume succeeds for a volume and the node of the plugin.",
            place,
            needs,
            t ->
                FieldSizes.advise(t, "publish_context", CaseSteps.attach(t, CaseSteps.volume(t)))));
    all.add(
        expect(
            "controller/publish/again-succeeds",
            "ControllerPublishVolume is idempotent.",
            place,
            needs,
            t -> {
              ControllerPublishVolumeRequest request =
                  LawfulRequests.attach(t, CaseSteps.volume(t)).build();
              var first = t.ok(CsiRpc.CONTROLLER_PUBLISH_VOLUME, request);
              var again = t.ok(CsiRpc.CONTROLLER_PUBLISH_VOLUME, request);
              if (!first.getPublishContextMap().equals(again.getPublishContextMap())) {
                t.advise("The publish_context of a repeated call differs from the first one.");
              }
            }));
    all.add(
        expect(
                "controller/publish/an-unknown-volume-is-not-found",
                "ControllerPublishVolume of a volume that does not exist is refused.",
                place + " Errors",
                List.of(Needs.ATTACH),
                t ->
                    t.refused(
                        CsiRpc.CONTROLLER_PUBLISH_VOLUME,
                        LawfulRequests.attach(t, unknown()).build(),
                        NOT_FOUND))
            .rows(1385));
    all.add(
        expect(
                "controller/publish/an-unknown-node-is-not-found",
                "ControllerPublishVolume on a node that does not exist is refused.",
                place + " Errors",
                needs,
                t ->
                    t.refused(
                        CsiRpc.CONTROLLER_PUBLISH_VOLUME,
                        LawfulRequests.attach(t, CaseSteps.volume(t))
                            .setNodeId(NO_SUCH_NODE)
                            .build(),
                        NOT_FOUND))
            .rows(1386));
    all.add(
        expect(
                "controller/publish/another-capability-is-refused",
                "A volume that is attached to the node with another capability is refused.",
                place + " Errors",
                needs,
                t -> {
                  ControllerPublishVolumeRequest request =
                      LawfulRequests.attach(t, CaseSteps.volume(t)).build();
                  t.ok(CsiRpc.CONTROLLER_PUBLISH_VOLUME, request);
                  t.refusedBest(
                      CsiRpc.CONTROLLER_PUBLISH_VOLUME,
                      request.toBuilder()
                          .setVolumeCapability(LawfulRequests.otherCapability(t))
                          .build(),
                      ALREADY_EXISTS);
                })
            .rows(1387));
    all.add(
        expect(
                "controller/publish/readonly-after-writable-is-refused",
                "A volume that is attached for writing is refused for reading only.",
                place + " Errors",
                List.of(Needs.ATTACH, Needs.ATTACH_READONLY, Needs.VOLUME),
                t -> {
                  ControllerPublishVolumeRequest request =
                      LawfulRequests.attach(t, CaseSteps.volume(t)).build();
                  t.ok(CsiRpc.CONTROLLER_PUBLISH_VOLUME, request);
                  t.refused(
                      CsiRpc.CONTROLLER_PUBLISH_VOLUME,
                      request.toBuilder().setReadonly(true).build(),
                      ALREADY_EXISTS);
                })
            .rows(1387));
    all.add(
        expect(
                "controller/publish/a-node-takes-as-many-volumes-as-it-says",
                "A node takes max_volumes_per_node volumes, and refuses one more.",
                place + " Errors",
                List.of(Needs.ATTACH, Needs.CREATE, Needs.FEW_ATTACHMENTS),
                t -> {
                  long most = t.offers().info().getMaxVolumesPerNode();
                  Reply reply = null;
                  long attached = 0;
                  while (attached <= most) {
                    reply =
                        t.call(
                            CsiRpc.CONTROLLER_PUBLISH_VOLUME,
                            LawfulRequests.attach(t, CaseSteps.create(t)).build());
                    if (!reply.isOk()) {
                      break;
                    }
                    attached++;
                  }
                  t.check(
                      reply != null && reply.code() == RESOURCE_EXHAUSTED,
                      "the volume after " + most + " fails with " + Trial.words(RESOURCE_EXHAUSTED),
                      reply == null ? "nothing" : t.shown(reply));
                })
            .rows(1389));
  }

  private static Volume unknown() {
    return Volume.newBuilder().setVolumeId(NO_SUCH_VOLUME).build();
  }

  private static void detached(List<SuiteCase> all) {
    List<Need> needs = List.of(Needs.ATTACH, Needs.VOLUME);
    String place = "ControllerUnpublishVolume";
    all.add(
        required(
            "controller/unpublish",
            CsiRpc.CONTROLLER_UNPUBLISH_VOLUME,
            "volume_id",
            needs,
            t -> LawfulRequests.detach(t, CaseSteps.volume(t)).build()));
    all.add(
        expect(
            "controller/unpublish/again-succeeds",
            "ControllerUnpublishVolume is idempotent.",
            place,
            needs,
            t -> {
              Volume volume = CaseSteps.volume(t);
              CaseSteps.attach(t, volume);
              t.ok(CsiRpc.CONTROLLER_UNPUBLISH_VOLUME, LawfulRequests.detach(t, volume).build());
              t.ok(CsiRpc.CONTROLLER_UNPUBLISH_VOLUME, LawfulRequests.detach(t, volume).build());
            }));
    all.add(
        expect(
            "controller/unpublish/the-volume-can-be-attached-otherwise",
            "After it was detached, a volume can be attached with another capability.",
            place,
            List.of(Needs.ATTACH, Needs.VOLUME, Needs.ATTACH_READONLY),
            t -> {
              Volume volume = CaseSteps.volume(t);
              CaseSteps.attach(t, volume);
              t.ok(CsiRpc.CONTROLLER_UNPUBLISH_VOLUME, LawfulRequests.detach(t, volume).build());
              t.ok(
                  CsiRpc.CONTROLLER_PUBLISH_VOLUME,
                  LawfulRequests.attach(t, volume).setReadonly(true).build());
            }));
    all.add(
        expect(
            "controller/unpublish/without-a-node-from-every-node",
            "ControllerUnpublishVolume without node_id detaches the volume from every node.",
            place,
            List.of(Needs.ATTACH, Needs.VOLUME, Needs.ATTACH_READONLY),
            t -> {
              Volume volume = CaseSteps.volume(t);
              CaseSteps.attach(t, volume);
              t.ok(
                  CsiRpc.CONTROLLER_UNPUBLISH_VOLUME,
                  LawfulRequests.detach(t, volume).clearNodeId().build());
              t.ok(
                  CsiRpc.CONTROLLER_PUBLISH_VOLUME,
                  LawfulRequests.attach(t, volume).setReadonly(true).build());
            }));
    all.add(
        expect(
                "controller/unpublish/an-unknown-volume-is-detached-or-not-found",
                "ControllerUnpublishVolume of a volume that does not exist succeeds, or is refused"
                    + " as not found.",
                place + " Errors",
                List.of(Needs.ATTACH),
                t -> {
                  t.best(
                      CsiRpc.CONTROLLER_UNPUBLISH_VOLUME,
                      LawfulRequests.detach(t, unknown()).build(),
                      OK,
                      NOT_FOUND);
                })
            .rows(1439));
    all.add(
        expect(
                "controller/unpublish/an-unknown-node-is-detached-or-not-found",
                "ControllerUnpublishVolume from a node that does not exist succeeds, or is refused"
                    + " as not found.",
                place + " Errors",
                needs,
                t -> {
                  t.best(
                      CsiRpc.CONTROLLER_UNPUBLISH_VOLUME,
                      LawfulRequests.detach(t, CaseSteps.volume(t)).setNodeId(NO_SUCH_NODE).build(),
                      OK,
                      NOT_FOUND);
                })
            .rows(1440));
  }

  private static void validated(List<SuiteCase> all) {
    List<Need> needs = List.of(Needs.CONTROLLER, Needs.VOLUME);
    String place = "ValidateVolumeCapabilities";
    for (String field : List.of("volume_id", "volume_capabilities")) {
      all.add(
          required(
              "controller/validate",
              CsiRpc.VALIDATE_VOLUME_CAPABILITIES,
              field,
              needs,
              t -> LawfulRequests.validate(t, CaseSteps.volume(t)).build()));
    }
    all.add(
        expect(
                "controller/validate/an-unknown-volume-is-not-found",
                "ValidateVolumeCapabilities of a volume that does not exist is refused.",
                place + " Errors",
                List.of(Needs.CONTROLLER),
                t ->
                    t.refused(
                        CsiRpc.VALIDATE_VOLUME_CAPABILITIES,
                        LawfulRequests.validate(t, unknown()).build(),
                        NOT_FOUND))
            .rows(1527));
    all.add(
        expect(
            "controller/validate/what-it-was-made-for-is-confirmed",
            "The capabilities that a volume was made with are confirmed, and confirmed is what was"
                + " asked.",
            place,
            needs,
            t -> {
              ValidateVolumeCapabilitiesRequest request =
                  LawfulRequests.validate(t, CaseSteps.volume(t)).build();
              ValidateVolumeCapabilitiesResponse answer =
                  t.ok(CsiRpc.VALIDATE_VOLUME_CAPABILITIES, request);
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
            }));
  }

  private static List<Volume> listing(Trial t, int max) throws CaseEndedException {
    List<Volume> found = new ArrayList<>();
    Set<String> tokens = new HashSet<>();
    String token = "";
    do {
      ListVolumesResponse page = t.ok(CsiRpc.LIST_VOLUMES, LawfulRequests.listVolumes(max, token));
      t.check(
          max == 0 || page.getEntriesCount() <= max,
          "at most " + max + " entries on a page",
          page.getEntriesCount() + " entries");
      page.getEntriesList().forEach(each -> found.add(each.getVolume()));
      token = page.getNextToken();
      t.check(
          tokens.add(token) && tokens.size() < MANY_PAGES,
          "a listing that ends",
          "the next_token " + SafeText.quote(token) + " again, or too many pages");
    } while (!token.isEmpty());
    return found;
  }

  private static boolean holds(List<Volume> list, Volume volume) {
    return list.stream().anyMatch(each -> each.getVolumeId().equals(volume.getVolumeId()));
  }

  private static void listed(List<SuiteCase> all) {
    List<Need> needs = List.of(Needs.LIST, Needs.CREATE);
    String place = "ListVolumes";
    all.add(
        expect(
            "controller/list/every-entry-names-a-volume",
            "Every entry of the list has a volume with an id.",
            place,
            List.of(Needs.LIST),
            t -> {
              for (Volume each : listing(t, 0)) {
                t.check(!each.getVolumeId().isEmpty(), "a volume_id in each entry", "an empty one");
              }
            }));
    all.add(
        expect(
            "controller/list/a-new-volume-appears",
            "A volume is on the list once it was made, with its size.",
            place,
            needs,
            t -> {
              Volume volume = CaseSteps.create(t);
              List<Volume> list = listing(t, 0);
              t.check(holds(list, volume), "the new volume is listed", "it is not");
            }));
    all.add(
        expect(
            "controller/list/a-deleted-volume-disappears",
            "A volume is off the list once it was deleted.",
            place,
            needs,
            t -> {
              Volume volume = CaseSteps.create(t);
              t.ok(CsiRpc.DELETE_VOLUME, LawfulRequests.delete(t, volume.getVolumeId()));
              t.check(!holds(listing(t, 0), volume), "the deleted volume is not listed", "it is");
            }));
    all.add(
        expect(
            "controller/list/pages-hold-every-volume",
            "Pages of one entry each hold every volume, and end.",
            place,
            needs,
            t -> {
              List<Volume> made =
                  List.of(CaseSteps.create(t), CaseSteps.create(t), CaseSteps.create(t));
              List<Volume> list = listing(t, 1);
              for (Volume each : made) {
                t.check(
                    holds(list, each),
                    "the volume " + SafeText.quote(each.getVolumeId()) + " is on one of the pages",
                    "it is on none");
              }
            }));
    all.add(
        expect(
            "controller/list/pages-go-on-while-volumes-come-and-go",
            "A token still works, or is refused with ABORTED, after volumes were added and"
                + " removed.",
            place,
            needs,
            t -> {
              Volume first = CaseSteps.create(t);
              Volume second = CaseSteps.create(t);
              ListVolumesResponse page =
                  t.ok(CsiRpc.LIST_VOLUMES, LawfulRequests.listVolumes(1, ""));
              t.check(
                  !page.getNextToken().isEmpty(),
                  "a next_token, as there are two volumes and one is on the page",
                  "none");
              Volume third = CaseSteps.create(t);
              t.ok(CsiRpc.DELETE_VOLUME, LawfulRequests.delete(t, first.getVolumeId()));
              Reply reply =
                  t.call(CsiRpc.LIST_VOLUMES, LawfulRequests.listVolumes(1, page.getNextToken()));
              t.check(
                  reply.isOk() || reply.code() == ABORTED,
                  "the next page, or " + Trial.words(ABORTED),
                  t.shown(reply));
              List<Volume> list = listing(t, 0);
              t.check(
                  holds(list, third) && holds(list, second),
                  "both volumes that there are",
                  "fewer");
            }));
    all.add(
        expect(
                "controller/list/an-invalid-token-is-aborted",
                "A starting_token that the plugin did not give is refused with ABORTED.",
                place + " Errors",
                List.of(Needs.LIST),
                t ->
                    t.refused(
                        CsiRpc.LIST_VOLUMES,
                        LawfulRequests.listVolumes(0, "csi4j-invalid-token"),
                        ABORTED))
            .rows(1607));
    all.add(
        expect(
                "controller/list/a-negative-number-of-entries-is-refused",
                "max_entries below zero is refused.",
                place,
                List.of(Needs.LIST),
                t -> {
                  t.best(CsiRpc.LIST_VOLUMES, LawfulRequests.listVolumes(-1, ""), INVALID_ARGUMENT);
                })
            .rows(507));
    all.add(
        expect(
            "controller/list/tells-where-a-volume-is-attached",
            "A plugin with LIST_VOLUMES_PUBLISHED_NODES lists the node of an attached volume.",
            place,
            List.of(Needs.LIST, Needs.CREATE, Needs.LIST_NODES, Needs.ATTACH),
            t -> {
              Volume volume = CaseSteps.create(t);
              CaseSteps.attach(t, volume);
              String node = t.offers().info().getNodeId();
              String token = "";
              boolean told = false;
              do {
                ListVolumesResponse page =
                    t.ok(CsiRpc.LIST_VOLUMES, LawfulRequests.listVolumes(0, token));
                told |=
                    page.getEntriesList().stream()
                        .filter(each -> each.getVolume().getVolumeId().equals(volume.getVolumeId()))
                        .anyMatch(
                            each -> each.getStatus().getPublishedNodeIdsList().contains(node));
                token = page.getNextToken();
              } while (!told && !token.isEmpty());
              t.check(
                  told, "the node " + SafeText.quote(node) + " among published_node_ids", "not");
            }));
  }

  private static void told(List<SuiteCase> all) {
    List<Need> needs = List.of(Needs.GET, Needs.VOLUME);
    all.add(
        expect(
            "controller/capacity/is-told",
            "GetCapacity tells a number that is not negative, and limits that fit together.",
            "GetCapacity",
            List.of(Needs.CAPACITY),
            t -> capacity(t, GetCapacityRequest.getDefaultInstance())));
    all.add(
        expect(
            "controller/capacity/is-told-for-a-use",
            "GetCapacity tells a number for the capabilities and parameters of the description.",
            "GetCapacity",
            List.of(Needs.CAPACITY),
            t ->
                capacity(
                    t,
                    GetCapacityRequest.newBuilder()
                        .addAllVolumeCapabilities(LawfulRequests.capabilities(t))
                        .putAllParameters(t.plugin().parameters())
                        .build())));
    all.add(
        expect(
            "topology/the-capacity-of-a-place-is-told",
            "GetCapacity tells a number for the place where the node is.",
            "GetCapacity",
            List.of(Needs.CAPACITY, Needs.TOPOLOGY, Needs.PLACE),
            t ->
                capacity(
                    t,
                    GetCapacityRequest.newBuilder()
                        .setAccessibleTopology(t.offers().info().getAccessibleTopology())
                        .build())));
    all.add(
        required(
            "controller/get",
            CsiRpc.CONTROLLER_GET_VOLUME,
            "volume_id",
            List.of(Needs.GET),
            t -> LawfulRequests.get(NO_SUCH_VOLUME)));
    all.add(
        expect(
                "controller/get/an-unknown-volume-is-not-found",
                "ControllerGetVolume of a volume that does not exist is refused.",
                "ControllerGetVolume Errors",
                List.of(Needs.GET),
                t ->
                    t.refused(
                        CsiRpc.CONTROLLER_GET_VOLUME,
                        LawfulRequests.get(NO_SUCH_VOLUME),
                        NOT_FOUND))
            .rows(1667));
    all.add(
        expect(
            "controller/get/tells-of-the-volume",
            "ControllerGetVolume tells the volume that was asked for, and its status.",
            "ControllerGetVolume",
            needs,
            t -> {
              Volume volume = CaseSteps.volume(t);
              ControllerGetVolumeResponse answer =
                  t.ok(CsiRpc.CONTROLLER_GET_VOLUME, LawfulRequests.get(volume.getVolumeId()));
              t.check(
                  answer.getVolume().getVolumeId().equals(volume.getVolumeId()),
                  "the volume " + SafeText.quote(volume.getVolumeId()),
                  "the volume " + SafeText.quote(answer.getVolume().getVolumeId()));
              t.check(answer.hasStatus(), "a status", "none");
            }));
    all.add(
        expect(
            "controller/get/tells-the-condition-of-the-volume",
            "A plugin with VOLUME_CONDITION tells whether the volume is well.",
            "ControllerGetVolume",
            List.of(Needs.GET, Needs.VOLUME, Needs.CONDITION),
            t ->
                t.check(
                    t.ok(
                            CsiRpc.CONTROLLER_GET_VOLUME,
                            LawfulRequests.get(CaseSteps.volume(t).getVolumeId()))
                        .getStatus()
                        .hasVolumeCondition(),
                    "a volume_condition",
                    "none")));
  }

  private static void capacity(Trial t, GetCapacityRequest request) throws CaseEndedException {
    GetCapacityResponse answer = t.ok(CsiRpc.GET_CAPACITY, request);
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

  private static void expanded(List<SuiteCase> all) {
    List<Need> needs = List.of(Needs.EXPAND, Needs.CREATE);
    String place = "ControllerExpandVolume";
    for (String field : List.of("volume_id", "capacity_range")) {
      all.add(
          required(
              "controller/expand",
              CsiRpc.CONTROLLER_EXPAND_VOLUME,
              field,
              needs,
              t -> LawfulRequests.expand(t, CaseSteps.create(t).getVolumeId(), bigger(t)).build()));
    }
    all.add(
        expect(
                "controller/expand/an-unknown-volume-is-not-found",
                "ControllerExpandVolume of a volume that does not exist is refused.",
                place + " Errors",
                List.of(Needs.EXPAND),
                t ->
                    t.refused(
                        CsiRpc.CONTROLLER_EXPAND_VOLUME,
                        LawfulRequests.expand(t, NO_SUCH_VOLUME, bigger(t)).build(),
                        NOT_FOUND))
            .rows(2280));
    all.add(
        expect(
            "controller/expand/a-volume-grows",
            "A volume that is not in use grows to the size that was asked for.",
            place,
            needs,
            t -> {
              Volume volume = CaseSteps.create(t);
              long size =
                  t.ok(
                          CsiRpc.CONTROLLER_EXPAND_VOLUME,
                          LawfulRequests.expand(t, volume.getVolumeId(), bigger(t)).build())
                      .getCapacityBytes();
              t.check(size >= bigger(t), "at least " + bigger(t) + " bytes", size + " bytes");
            }));
    all.add(
        expect(
            "controller/expand/again-succeeds",
            "A volume that has the size already is left as it is.",
            place,
            needs,
            t -> {
              Volume volume = CaseSteps.create(t);
              ControllerExpandVolumeRequest request =
                  LawfulRequests.expand(t, volume.getVolumeId(), bigger(t)).build();
              var first = t.ok(CsiRpc.CONTROLLER_EXPAND_VOLUME, request);
              var again = t.ok(CsiRpc.CONTROLLER_EXPAND_VOLUME, request);
              t.check(
                  first.getCapacityBytes() == again.getCapacityBytes(),
                  first.getCapacityBytes() + " bytes",
                  again.getCapacityBytes() + " bytes");
            }));
    all.add(
        expect(
            "controller/expand/never-shrinks",
            "A volume that is larger than required stays as large as it is.",
            place,
            needs,
            t -> {
              Volume volume = CaseSteps.create(t);
              long size =
                  t.ok(
                          CsiRpc.CONTROLLER_EXPAND_VOLUME,
                          LawfulRequests.expand(t, volume.getVolumeId(), bigger(t)).build())
                      .getCapacityBytes();
              long then =
                  t.ok(
                          CsiRpc.CONTROLLER_EXPAND_VOLUME,
                          LawfulRequests.expand(t, volume.getVolumeId(), t.plugin().volumeBytes())
                              .build())
                      .getCapacityBytes();
              t.check(then >= size, "at least " + size + " bytes", then + " bytes");
            }));
    all.add(
        expect(
                "controller/expand/a-size-that-nobody-has-is-out-of-range",
                "A volume cannot grow to 4 EiB.",
                place + " Errors",
                needs,
                t ->
                    t.refusedBest(
                        CsiRpc.CONTROLLER_EXPAND_VOLUME,
                        LawfulRequests.expand(t, CaseSteps.create(t).getVolumeId(), FAR_TOO_MUCH)
                            .build(),
                        OUT_OF_RANGE,
                        RESOURCE_EXHAUSTED))
            .rows(2282));
    all.add(
        expect(
                "controller/expand/a-limit-below-the-size-is-out-of-range",
                "A limit_bytes below the size that the volume has is refused.",
                place + " Errors",
                needs,
                t ->
                    t.refusedBest(
                        CsiRpc.CONTROLLER_EXPAND_VOLUME,
                        LawfulRequests.expand(t, CaseSteps.create(t).getVolumeId(), 1)
                            .setCapacityRange(LawfulRequests.range(1, 1))
                            .build(),
                        OUT_OF_RANGE))
            .rows(2282));
    all.add(
        expect(
                "controller/expand/a-volume-in-use-is-refused-where-only-others-grow",
                "A plugin with OFFLINE expansion alone refuses a volume that is published.",
                place + " Errors",
                List.of(Needs.EXPAND, Needs.CREATE, Needs.OFFLINE_EXPANSION_ONLY),
                t -> {
                  Volume volume = CaseSteps.create(t);
                  CaseSteps.publish(t, volume);
                  t.refusedBest(
                      CsiRpc.CONTROLLER_EXPAND_VOLUME,
                      LawfulRequests.expand(t, volume.getVolumeId(), bigger(t)).build(),
                      FAILED_PRECONDITION);
                })
            .rows(2281));
    all.add(
        expect(
                "controller/expand/a-capability-that-does-not-fit-is-better-refused",
                "A volume_capability that the volume does not have may be refused as invalid.",
                place + " Errors",
                needs,
                t -> {
                  t.best(
                      CsiRpc.CONTROLLER_EXPAND_VOLUME,
                      LawfulRequests.expand(t, CaseSteps.create(t).getVolumeId(), bigger(t))
                          .setVolumeCapability(LawfulRequests.otherCapability(t))
                          .build(),
                      OK,
                      INVALID_ARGUMENT);
                })
            .rows(2279));
  }

  static long bigger(Trial t) {
    return 2 * t.plugin().volumeBytes();
  }

  private static void modified(List<SuiteCase> all) {
    List<Need> needs = List.of(Needs.MODIFY, Needs.MUTABLE, Needs.VOLUME);
    String place = "ControllerModifyVolume";
    for (String field : List.of("volume_id", "mutable_parameters")) {
      all.add(
          required(
              "controller/modify",
              CsiRpc.CONTROLLER_MODIFY_VOLUME,
              field,
              needs,
              t -> LawfulRequests.modify(t, CaseSteps.volume(t).getVolumeId()).build()));
    }
    all.add(
        expect(
                "controller/modify/an-unknown-volume-is-not-found",
                "ControllerModifyVolume of a volume that does not exist is refused.",
                place + " Errors",
                List.of(Needs.MODIFY, Needs.MUTABLE),
                t ->
                    t.refused(
                        CsiRpc.CONTROLLER_MODIFY_VOLUME,
                        LawfulRequests.modify(t, NO_SUCH_VOLUME).build(),
                        NOT_FOUND))
            .rows(1711));
    all.add(
        expect(
            "controller/modify/a-volume-is-modified-and-again",
            "ControllerModifyVolume succeeds, and is idempotent.",
            place,
            needs,
            t -> {
              String volume = CaseSteps.volume(t).getVolumeId();
              t.ok(CsiRpc.CONTROLLER_MODIFY_VOLUME, LawfulRequests.modify(t, volume).build());
              t.ok(CsiRpc.CONTROLLER_MODIFY_VOLUME, LawfulRequests.modify(t, volume).build());
            }));
    all.add(
        expect(
                "controller/modify/an-unknown-parameter-is-better-refused",
                "A mutable parameter that the plugin does not know may be refused as invalid, and"
                    + " then nothing is changed.",
                place + " Errors",
                List.of(Needs.MODIFY, Needs.VOLUME),
                t -> {
                  t.best(
                      CsiRpc.CONTROLLER_MODIFY_VOLUME,
                      LawfulRequests.modify(t, CaseSteps.volume(t).getVolumeId())
                          .clearMutableParameters()
                          .putMutableParameters("csi4j.io/unknown", "1")
                          .build(),
                      OK,
                      INVALID_ARGUMENT);
                })
            .rows(1710, 507));
  }
}
