package io.csi4j.conformance.internal.plugin;

import static io.csi4j.client.model.StatusCode.DEADLINE_EXCEEDED;
import static io.csi4j.client.model.StatusCode.UNAVAILABLE;
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
        t -> t.check(!told(t).getVendorVersion().isEmpty(), "a vendor_version", "an empty one"));
    all.add(
        "identity/info/stays-the-same",
        t -> {
          GetPluginInfoResponse first = told(t);
          GetPluginInfoResponse second = told(t);
          t.check(
              first.getName().equals(second.getName())
                  && first.getVendorVersion().equals(second.getVendorVersion()),
              "the same name and version",
              "others");
          t.adviseSize("manifest", first.getManifestMap());
        });
    all.add(
        "identity/info/is-the-same-on-both-sockets",
        t -> {
          String name = told(t).getName();
          Reply reply = t.callNode(INFO);
          t.check(
              reply.isOk() && t.answer(reply, GetPluginInfoResponse.class).getName().equals(name),
              "the name " + SafeText.quote(name) + " on the node's socket",
              t.shown(reply));
        });
  }

  private static GetPluginInfoResponse told(Trial t) throws CaseEndedException {
    return t.ok(INFO, GetPluginInfoResponse.class);
  }

  private static void probe(CaseSteps all) {
    all.add(
        "identity/probe/says-ready",
        t -> {
          ProbeResponse answer = t.ok(PROBE, ProbeResponse.class);
          t.check(
              !answer.hasReady() || answer.getReady().getValue(),
              "ready: true, or nothing said",
              "ready: false. Run the suite when the plugin is ready.");
        });
    all.add(
        "identity/probe/can-be-repeated",
        t -> {
          for (Reply each : t.together(PROBE, PROBE, PROBE, PROBE)) {
            t.check(each.isOk(), "every Probe succeeds", t.shown(each));
          }
        });
  }

  private static void capabilities(CaseSteps all) {
    all.add(
        "identity/capabilities/are-well-formed",
        t -> {
          for (PluginCapability each : offered(t)) {
            t.check(
                each.getTypeCase() != PluginCapability.TypeCase.TYPE_NOT_SET,
                "a type in each capability",
                "a capability without type");
            if (each.hasService()
                && each.getService().getType() == PluginCapability.Service.Type.UNKNOWN) {
              t.advise("The capability UNKNOWN (0) tells nobody anything.");
            }
          }
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
        t -> t.ok(ControllerGetCapabilitiesRequest.getDefaultInstance()));
    all.add(
        "identity/capabilities/a-group-controller-that-is-declared-answers",
        t -> t.ok(GroupControllerGetCapabilitiesRequest.getDefaultInstance()));
    all.add(
        "identity/capabilities/a-metadata-service-that-is-declared-answers",
        t -> {
          Reply reply = t.call(GetMetadataAllocatedRequest.getDefaultInstance());
          t.check(reply.code() != UNIMPLEMENTED, "GetMetadataAllocated is served", t.shown(reply));
        });
    all.add(
        "identity/capabilities/a-controller-that-is-not-declared-is-not-implemented",
        t -> {
          Message request = ControllerGetCapabilitiesRequest.getDefaultInstance();
          t.adviseUnless(request, t.call(request), UNIMPLEMENTED);
        });
  }

  private static List<PluginCapability> offered(Trial t) throws CaseEndedException {
    return t.ok(
            GetPluginCapabilitiesRequest.getDefaultInstance(), GetPluginCapabilitiesResponse.class)
        .getCapabilitiesList();
  }

  private static void refusals(CaseSteps all) {
    all.add(
        "status/a-refusal-says-why",
        t -> {
          says(t, NodePublishVolumeRequest.getDefaultInstance());
          says(t, NodeUnpublishVolumeRequest.getDefaultInstance());
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
          Reply reply = t.call(LawfulRequests.toUnpublish(t, nonsense));
          t.check(
              reply.code() != UNAVAILABLE && reply.code() != DEADLINE_EXCEEDED,
              "an answer",
              t.shown(reply));
          t.ok(INFO);
        });
  }

  /** A refusal ends with a code that helps the caller, and better with a text too. */
  private static void says(Trial t, Message request) throws CaseEndedException {
    Reply reply = t.call(request);
    t.answered(request, reply);
    if (!reply.isOk() && reply.text().isEmpty()) {
      t.advise(
          RawPlugin.operation(request).rpcName()
              + " failed with "
              + reply.code()
              + " and no text.");
    }
  }
}
