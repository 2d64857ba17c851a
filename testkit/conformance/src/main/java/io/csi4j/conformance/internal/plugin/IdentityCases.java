package io.csi4j.conformance.internal.plugin;

import static io.csi4j.client.model.StatusCode.FAILED_PRECONDITION;
import static io.csi4j.client.model.StatusCode.OK;
import static io.csi4j.client.model.StatusCode.RESOURCE_EXHAUSTED;
import static io.csi4j.client.model.StatusCode.UNIMPLEMENTED;

import com.google.protobuf.Message;
import io.csi4j.client.internal.proto.ControllerGetCapabilitiesRequest;
import io.csi4j.client.internal.proto.DeleteVolumeRequest;
import io.csi4j.client.internal.proto.GetMetadataAllocatedRequest;
import io.csi4j.client.internal.proto.GetPluginCapabilitiesRequest;
import io.csi4j.client.internal.proto.GetPluginCapabilitiesResponse;
import io.csi4j.client.internal.proto.GetPluginInfoRequest;
import io.csi4j.client.internal.proto.GetPluginInfoResponse;
import io.csi4j.client.internal.proto.GroupControllerGetCapabilitiesRequest;
import io.csi4j.client.internal.proto.NodePublishVolumeRequest;
import io.csi4j.client.internal.proto.NodeUnpublishVolumeRequest;
import io.csi4j.client.internal.proto.PluginCapability;
import io.csi4j.client.internal.proto.ProbeRequest;
import io.csi4j.client.internal.proto.ProbeResponse;
import io.csi4j.client.internal.proto.ValidateVolumeCapabilitiesRequest;
import io.csi4j.client.internal.proto.Volume;
import io.csi4j.client.internal.text.SafeText;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;

/** The identity of the plugin, and how it says no. */
final class IdentityCases {

  private static final GetPluginInfoRequest INFO = GetPluginInfoRequest.getDefaultInstance();
  private static final ProbeRequest PROBE = ProbeRequest.getDefaultInstance();

  private IdentityCases() {}

  static void addTo(CaseSteps all) {
    info(all);
    probe(all);
    capabilities(all);
    refusals(all);
  }

  private static void info(CaseSteps all) {
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

  private static void probe(CaseSteps all) {
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
            throw new CaseEndedException.NotRun(unready.get());
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

  private static void capabilities(CaseSteps all) {
    all.add(
        "identity/capabilities/expansion-brings-its-calls",
        t -> {
          boolean online = t.offers().has(PluginCapability.VolumeExpansion.Type.ONLINE);
          boolean offline = t.offers().has(PluginCapability.VolumeExpansion.Type.OFFLINE);
          if (!online && !offline) {
            throw new CaseEndedException.Skipped("the plugin does not declare how volumes grow");
          }
          if (!Need.CONTROLLER.met(t) || !t.offers().node()) {
            throw new CaseEndedException.Skipped(
                "only one of controller and node is served on the sockets of the run");
          }
          t.check(
              Need.EXPAND.met(t) || (!offline && Need.NODE_EXPAND.met(t)),
              offline
                  ? "EXPAND_VOLUME (controller), as OFFLINE expansion is declared"
                  : "EXPAND_VOLUME of controller or node, as ONLINE expansion is declared",
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
            declared(
                t,
                PluginCapability.Service.Type.CONTROLLER_SERVICE,
                ControllerGetCapabilitiesRequest.getDefaultInstance()));
    all.add(
        "identity/capabilities/a-group-controller-that-is-declared-answers",
        t ->
            declared(
                t,
                PluginCapability.Service.Type.GROUP_CONTROLLER_SERVICE,
                GroupControllerGetCapabilitiesRequest.getDefaultInstance()));
    all.add(
        "identity/capabilities/a-metadata-service-that-is-declared-answers",
        t ->
            declared(
                t,
                PluginCapability.Service.Type.SNAPSHOT_METADATA_SERVICE,
                GetMetadataAllocatedRequest.getDefaultInstance()));
    all.ask(
        "identity/capabilities/a-controller-that-is-not-declared-is-not-implemented",
        t -> {
          return ControllerGetCapabilitiesRequest.getDefaultInstance();
        });
  }

  /**
   * A service that the plugin declares is served. A plugin declares the same on all its sockets, so
   * that only the socket that was named as the controller's owes it.
   */
  private static void declared(Trial t, PluginCapability.Service.Type service, Message first) {
    if (!t.offers().has(service) && !t.offers().unserved().contains(service)) {
      throw new CaseEndedException.Skipped("the plugin does not offer " + service.name());
    }
    Reply reply = t.call(first);
    if (reply.code() == UNIMPLEMENTED && !Need.SEPARATE_SOCKETS.met(t)) {
      throw new CaseEndedException.Skipped(
          "the plugin declares "
              + service.name()
              + " and does not serve it here: name the socket of the instance that does");
    }
    t.check(reply.code() != UNIMPLEMENTED, reply, "is served");
  }

  private static List<PluginCapability> offered(Trial t) {
    return t.ok(
            GetPluginCapabilitiesRequest.getDefaultInstance(), GetPluginCapabilitiesResponse.class)
        .getCapabilitiesList();
  }

  private static void refusals(CaseSteps all) {
    all.add(
        "status/a-refusal-says-why",
        t -> {
          if (t.offers().node()) {
            says(t, NodePublishVolumeRequest.getDefaultInstance());
            says(t, NodeUnpublishVolumeRequest.getDefaultInstance());
          }
          if (Need.CREATE.met(t)) {
            says(t, DeleteVolumeRequest.getDefaultInstance());
          }
          if (Need.CONTROLLER.met(t)) {
            says(t, ValidateVolumeCapabilitiesRequest.getDefaultInstance());
          }
        });
    all.add(
        "status/the-plugin-answers-after-lawless-calls",
        t -> {
          String id = "../../" + LawfulRequests.NO_SUCH_VOLUME.getVolumeId() + "\n";
          Volume nonsense = Volume.newBuilder().setVolumeId(id).build();
          // A plugin that dies of it ends the case.
          Reply unused =
              t.offers().node()
                  ? t.call(LawfulRequests.toUnpublish(t, nonsense))
                  : t.call(LawfulRequests.toDelete(t, nonsense));
          t.ok(INFO);
        });
  }

  /** A refusal has a text. */
  private static void says(Trial t, Message request) {
    Reply reply = t.call(request);
    t.check(
        reply.isOk() || !reply.text().isEmpty(),
        RawPlugin.operation(request).rpcName() + " fails with a text",
        reply.code() + " without one");
  }
}
