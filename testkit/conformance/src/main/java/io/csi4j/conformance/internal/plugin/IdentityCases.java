package io.csi4j.conformance.internal.plugin;

import static io.csi4j.conformance.internal.plugin.Cases.expect;

import io.csi4j.client.internal.proto.ControllerGetCapabilitiesRequest;
import io.csi4j.client.internal.proto.GetMetadataAllocatedRequest;
import io.csi4j.client.internal.proto.GetPluginCapabilitiesRequest;
import io.csi4j.client.internal.proto.GetPluginCapabilitiesResponse;
import io.csi4j.client.internal.proto.GetPluginInfoRequest;
import io.csi4j.client.internal.proto.GetPluginInfoResponse;
import io.csi4j.client.internal.proto.GroupControllerGetCapabilitiesRequest;
import io.csi4j.client.internal.proto.PluginCapability;
import io.csi4j.client.internal.proto.ProbeRequest;
import io.csi4j.client.internal.proto.ProbeResponse;
import io.csi4j.client.internal.text.SafeText;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.StatusCode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.regex.Pattern;

/** The identity of the plugin. */
final class IdentityCases {

  private static final Pattern NAME =
      Pattern.compile("[a-zA-Z0-9]([a-zA-Z0-9.-]{0,61}[a-zA-Z0-9])?");
  private static final GetPluginInfoRequest INFO = GetPluginInfoRequest.getDefaultInstance();
  private static final GetPluginCapabilitiesRequest CAPABILITIES =
      GetPluginCapabilitiesRequest.getDefaultInstance();
  private static final ProbeRequest PROBE = ProbeRequest.getDefaultInstance();

  private IdentityCases() {}

  static List<SuiteCase> all() {
    List<SuiteCase> all = new ArrayList<>();
    info(all);
    probe(all);
    capabilities(all);
    return all;
  }

  private static void info(List<SuiteCase> all) {
    all.add(
        expect(
            "identity/info/the-name-is-a-domain-name",
            "The plugin's name has 1 to 63 characters: letters, digits, dots and dashes, the first"
                + " and the last a letter or digit.",
            "GetPluginInfo",
            List.of(),
            t -> {
              String name = t.ok(CsiRpc.GET_PLUGIN_INFO, INFO).getName();
              t.check(
                  NAME.matcher(name).matches(),
                  "a name in domain notation of at most 63 characters",
                  "the name " + SafeText.quote(name));
            }));
    all.add(
        expect(
            "identity/info/the-version-is-told",
            "The plugin tells its version.",
            "GetPluginInfo",
            List.of(),
            t ->
                t.check(
                    !t.ok(CsiRpc.GET_PLUGIN_INFO, INFO).getVendorVersion().isEmpty(),
                    "a vendor_version",
                    "an empty one")));
    all.add(
        expect(
            "identity/info/stays-the-same",
            "Asked again, the plugin has the same name and version.",
            "GetPluginInfo",
            List.of(),
            t -> {
              GetPluginInfoResponse first = t.ok(CsiRpc.GET_PLUGIN_INFO, INFO);
              GetPluginInfoResponse second = t.ok(CsiRpc.GET_PLUGIN_INFO, INFO);
              t.check(
                  first.getName().equals(second.getName())
                      && first.getVendorVersion().equals(second.getVendorVersion()),
                  "the same name and version",
                  "others");
              FieldSizes.advise(t, "manifest", first.getManifestMap());
            }));
    all.add(
        expect(
            "identity/info/is-the-same-on-both-sockets",
            "Controller and node service are one plugin, under one name.",
            "GetPluginInfo",
            List.of(Needs.SEPARATE_SOCKETS),
            t -> {
              GetPluginInfoResponse controller = t.ok(CsiRpc.GET_PLUGIN_INFO, INFO);
              Reply reply = t.callNode(CsiOperation.GET_PLUGIN_INFO, INFO);
              t.check(
                  reply.isOk()
                      && t.answer(CsiRpc.GET_PLUGIN_INFO, reply)
                          .getName()
                          .equals(controller.getName()),
                  "the name " + SafeText.quote(controller.getName()) + " on the node's socket",
                  t.shown(reply));
            }));
  }

  private static void probe(List<SuiteCase> all) {
    all.add(
        expect(
            "identity/probe/says-ready",
            "A plugin that runs is probed with OK, and does not say that it is not ready. A plugin"
                + " that lacks something answers FAILED_PRECONDITION.",
            "Probe",
            List.of(),
            t -> {
              ProbeResponse answer = t.ok(CsiRpc.PROBE, PROBE);
              t.check(
                  !answer.hasReady() || answer.getReady().getValue(),
                  "ready: true, or nothing said",
                  "ready: false. Run the suite when the plugin is ready.");
            }));
    all.add(
        expect(
            "identity/probe/can-be-repeated",
            "A plugin can be probed as often as its caller likes, also many times at once.",
            "Probe",
            List.of(),
            t -> {
              for (Reply each : t.together(CsiRpc.PROBE, List.of(PROBE, PROBE, PROBE, PROBE))) {
                t.check(each.isOk(), "every Probe succeeds", t.shown(each));
              }
            }));
  }

  private static void capabilities(List<SuiteCase> all) {
    all.add(
        expect(
            "identity/capabilities/are-well-formed",
            "Every capability of the plugin has a type.",
            "GetPluginCapabilities",
            List.of(),
            t -> {
              for (PluginCapability each :
                  t.ok(CsiRpc.GET_PLUGIN_CAPABILITIES, CAPABILITIES).getCapabilitiesList()) {
                t.check(
                    each.getTypeCase() != PluginCapability.TypeCase.TYPE_NOT_SET,
                    "a type in each capability",
                    "a capability without type");
                if (each.hasService()
                    && each.getService().getType() == PluginCapability.Service.Type.UNKNOWN) {
                  t.advise("The capability UNKNOWN (0) tells nobody anything.");
                }
              }
            }));
    all.add(
        expect(
            "identity/capabilities/stay-the-same",
            "Asked again, the plugin offers the same.",
            "GetPluginCapabilities",
            List.of(),
            t -> {
              GetPluginCapabilitiesResponse first =
                  t.ok(CsiRpc.GET_PLUGIN_CAPABILITIES, CAPABILITIES);
              GetPluginCapabilitiesResponse second =
                  t.ok(CsiRpc.GET_PLUGIN_CAPABILITIES, CAPABILITIES);
              t.check(
                  new HashSet<>(first.getCapabilitiesList())
                      .equals(new HashSet<>(second.getCapabilitiesList())),
                  "the same capabilities",
                  "others");
            }));
    all.add(
        expect(
            "identity/capabilities/a-controller-that-is-declared-answers",
            "A plugin with CONTROLLER_SERVICE tells what its controller can do.",
            "GetPluginCapabilities",
            List.of(Needs.CONTROLLER),
            t -> {
              t.ok(
                  CsiRpc.CONTROLLER_GET_CAPABILITIES,
                  ControllerGetCapabilitiesRequest.getDefaultInstance());
            }));
    all.add(
        expect(
            "identity/capabilities/a-group-controller-that-is-declared-answers",
            "A plugin with GROUP_CONTROLLER_SERVICE tells what its group controller can do.",
            "GetPluginCapabilities",
            List.of(Needs.GROUP_CONTROLLER),
            t -> {
              t.ok(
                  CsiRpc.GROUP_CONTROLLER_GET_CAPABILITIES,
                  GroupControllerGetCapabilitiesRequest.getDefaultInstance());
            }));
    all.add(
        expect(
            "identity/capabilities/a-metadata-service-that-is-declared-answers",
            "A plugin with SNAPSHOT_METADATA_SERVICE serves its calls.",
            "GetPluginCapabilities",
            List.of(Needs.METADATA),
            t -> {
              Reply reply =
                  t.call(
                      CsiRpc.GET_METADATA_ALLOCATED,
                      GetMetadataAllocatedRequest.getDefaultInstance());
              t.check(
                  reply.code() != StatusCode.UNIMPLEMENTED,
                  "GetMetadataAllocated is served",
                  t.shown(reply));
            }));
    all.add(
        expect(
                "identity/capabilities/a-controller-that-is-not-declared-is-not-implemented",
                "A plugin without CONTROLLER_SERVICE has no controller to call.",
                "Error Scheme",
                List.of(Needs.not(Needs.CONTROLLER)),
                t -> {
                  Reply reply =
                      t.call(
                          CsiRpc.CONTROLLER_GET_CAPABILITIES,
                          ControllerGetCapabilitiesRequest.getDefaultInstance());
                  if (reply.code() != StatusCode.UNIMPLEMENTED) {
                    t.advise(
                        "ControllerGetCapabilities should end with UNIMPLEMENTED (12) here, and"
                            + " ended with "
                            + t.shown(reply)
                            + ".");
                  }
                })
            .rows(510));
  }
}
