package io.csi4j.conformance.internal.plugin;

import static io.csi4j.client.model.StatusCode.*;
import static io.csi4j.conformance.internal.plugin.LawfulRequests.*;

import io.csi4j.client.internal.proto.GetPluginCapabilitiesRequest;
import io.csi4j.client.internal.proto.GetPluginCapabilitiesResponse;
import io.csi4j.client.internal.proto.GetPluginInfoRequest;
import io.csi4j.client.internal.proto.GetPluginInfoResponse;
import io.csi4j.client.internal.proto.PluginCapability;
import io.csi4j.client.internal.proto.PluginCapability.Service;
import io.csi4j.client.internal.proto.ProbeRequest;
import io.csi4j.client.internal.proto.ProbeResponse;
import io.csi4j.client.internal.proto.Volume;
import io.csi4j.client.internal.text.SafeText;
import io.csi4j.client.model.CsiOperation;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;

/** Cases for the identity of the plugin, and for its refusals. */
final class IdentityCases {

  private static final GetPluginInfoRequest INFO = GetPluginInfoRequest.getDefaultInstance();
  private static final ProbeRequest PROBE = ProbeRequest.getDefaultInstance();

  private IdentityCases() {}

  static void addTo(CaseSteps all) {
    infoCases(all);
    probeCases(all);
    capabilityCases(all);
    refusalCases(all);
  }

  private static void infoCases(CaseSteps all) {
    all.add(
        "identity/info/the-name-is-a-domain-name",
        t -> {
          String name = told(t).getName();
          t.check(
              name.matches("[a-zA-Z0-9]([a-zA-Z0-9.-]{0,61}[a-zA-Z0-9])?"),
              "a name in domain notation of at most 63 characters",
              "the name " + SafeText.quote(name));
        });
    all.add(
        "identity/info/the-version-is-told",
        t -> {
          GetPluginInfoResponse told = told(t);
          t.check(!told.getVendorVersion().isEmpty(), "a vendor_version", "an empty one");
          t.adviseSize("manifest", told.getManifestMap());
        });
    all.add(
        "identity/info/is-told-on-both-sockets",
        t -> {
          Reply reply = t.callNode(INFO);
          t.check(reply.isOk(), "an answer on the node's socket", t.shown(reply));
          GetPluginInfoResponse told = t.answer(reply, GetPluginInfoResponse.class);
          t.check(
              !told.getName().isEmpty() && !told.getVendorVersion().isEmpty(),
              "a name and a vendor_version on the node's socket",
              "one of them is empty");
        });
  }

  private static GetPluginInfoResponse told(Trial t) {
    return t.ok(INFO, GetPluginInfoResponse.class);
  }

  private static void probeCases(CaseSteps all) {
    all.add(
        "identity/probe/says-ready",
        t -> {
          Reply reply = t.call(PROBE);
          t.check(
              reply.isOk() || reply.code() == FAILED_PRECONDITION,
              "OK or " + Trial.words(FAILED_PRECONDITION),
              t.shown(reply));
          Optional<String> unready = PluginReadiness.unready(t, reply);
          if (unready.isPresent()) {
            throw CaseEndedException.notRun(unready.get());
          }
        });
    all.add(
        "identity/probe/can-be-repeated",
        t -> {
          t.prepared(() -> t.ok(PROBE, ProbeResponse.class));
          Reply again = t.call(PROBE);
          t.check(
              again.isOk() || again.code() == RESOURCE_EXHAUSTED,
              "the second Probe ends with " + Trial.words(OK, RESOURCE_EXHAUSTED),
              t.shown(again));
        });
  }

  private static void capabilityCases(CaseSteps all) {
    all.add(
        "identity/capabilities/expansion-brings-its-calls",
        t -> {
          boolean online = t.offers().has(PluginCapability.VolumeExpansion.Type.ONLINE);
          boolean offline = t.offers().has(PluginCapability.VolumeExpansion.Type.OFFLINE);
          if (!online && !offline) {
            throw CaseEndedException.skipped("the plugin does not declare how volumes grow");
          }
          if (!Need.CONTROLLER.met(t) || !t.offers().node()) {
            throw CaseEndedException.skipped(
                "only one of controller and node is served on the sockets of the run");
          }
          t.check(
              Need.EXPAND.met(t) || (!offline && Need.NODE_EXPAND.met(t)),
              offline
                  ? "EXPAND_VOLUME (controller), because the plugin declares OFFLINE expansion"
                  : "EXPAND_VOLUME of controller or node, because the plugin declares ONLINE expansion",
              "none");
        });
    all.add(
        "identity/capabilities/stay-the-same",
        t ->
            t.check(
                new HashSet<>(offered(t)).equals(new HashSet<>(offered(t))),
                "the same capabilities",
                "others"));
    all.add(
        "identity/capabilities/a-controller-that-is-declared-answers",
        t ->
            declared(t, Service.Type.CONTROLLER_SERVICE, CsiOperation.CONTROLLER_GET_CAPABILITIES));
    all.add(
        "identity/capabilities/a-group-controller-that-is-declared-answers",
        t ->
            declared(
                t,
                Service.Type.GROUP_CONTROLLER_SERVICE,
                CsiOperation.GROUP_CONTROLLER_GET_CAPABILITIES));
    all.add(
        "identity/capabilities/a-metadata-service-that-is-declared-answers",
        t ->
            declared(
                t, Service.Type.SNAPSHOT_METADATA_SERVICE, CsiOperation.GET_METADATA_ALLOCATED));
  }

  /**
   * Checks that the plugin serves a declared service. A plugin declares the same services on all
   * its sockets, so only the controller's socket must serve them.
   */
  private static void declared(Trial t, Service.Type service, CsiOperation first) {
    if (!t.offers().has(service) && !t.offers().unserved().contains(service)) {
      throw CaseEndedException.skipped("the plugin does not offer " + service.name());
    }
    Reply reply = t.call(RawPlugin.request(first));
    if (reply.code() == UNIMPLEMENTED && !Need.SEPARATE_SOCKETS.met(t)) {
      throw CaseEndedException.skipped(
          "the plugin declares "
              + service.name()
              + ", but does not serve it here: name the socket of the instance that does");
    }
    t.check(reply.code() != UNIMPLEMENTED, reply, "is served");
  }

  private static List<PluginCapability> offered(Trial t) {
    return t.ok(
            GetPluginCapabilitiesRequest.getDefaultInstance(), GetPluginCapabilitiesResponse.class)
        .getCapabilitiesList();
  }

  private static void refusalCases(CaseSteps all) {
    all.add(
        "status/a-refusal-says-why",
        t -> {
          if (t.offers().node()) {
            says(t, CsiOperation.NODE_PUBLISH_VOLUME);
            says(t, CsiOperation.NODE_UNPUBLISH_VOLUME);
          }
          if (Need.CREATE.met(t)) {
            says(t, CsiOperation.DELETE_VOLUME);
          }
          if (Need.CONTROLLER.met(t)) {
            says(t, CsiOperation.VALIDATE_VOLUME_CAPABILITIES);
          }
        });
    all.add(
        "status/the-plugin-answers-after-lawless-calls",
        t -> {
          String id = "../../" + NO_SUCH_VOLUME.getVolumeId() + "\n";
          Volume nonsense = Volume.newBuilder().setVolumeId(id).build();
          // If the plugin crashes on this call, the case ends here.
          Reply unused =
              t.offers().node() ? t.call(toUnpublish(t, nonsense)) : t.call(toDelete(t, nonsense));
          t.ok(INFO);
        });
  }

  private static void says(Trial t, CsiOperation operation) {
    Reply reply = t.call(RawPlugin.request(operation));
    t.check(
        reply.isOk() || !reply.text().isEmpty(),
        operation.rpcName() + " fails with a text",
        reply.code() + " without one");
  }
}
