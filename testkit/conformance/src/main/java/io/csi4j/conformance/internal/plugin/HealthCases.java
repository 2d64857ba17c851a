package io.csi4j.conformance.internal.plugin;

import static io.csi4j.client.model.StatusCode.*;
import static io.csi4j.conformance.internal.plugin.LawfulRequests.*;
import static io.csi4j.conformance.internal.plugin.TestVolumes.*;

import io.csi4j.client.internal.proto.ControllerGetVolumeHealthResponse;
import io.csi4j.client.internal.proto.NodeGetStorageHealthResponse;
import io.csi4j.client.internal.proto.NodeGetVolumeHealthResponse;
import io.csi4j.client.internal.proto.Volume;
import io.csi4j.client.internal.proto.VolumeHealth;
import io.csi4j.client.internal.text.SafeText;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

/** The health of volumes and of the storage, as plugins of CSI 1.13 tell it. */
final class HealthCases {

  private HealthCases() {}

  static void addTo(CaseSteps all) {
    capabilityCases(all.under("controller/capabilities"));
    listCases(all.under("controller/list-health"));
    getCases(all.under("controller/get-health"));
    nodeCases(all.under("node"));
  }

  private static void capabilityCases(CaseSteps.Group all) {
    all.add(
        "a-list-of-sick-volumes-brings-the-health-of-one",
        t -> {
          Reply reply = t.call(toGetHealth(t, NO_SUCH_VOLUME));
          t.check(
              reply.code() != UNIMPLEMENTED, reply, "is served, as LIST_VOLUME_HEALTH brings it");
        });
  }

  private static void listCases(CaseSteps.Group all) {
    all.add(
        "pages-end-and-name-their-volumes",
        t -> {
          for (VolumeHealth each : listing(t, 1)) {
            t.check(!each.getVolumeId().isEmpty(), "a volume_id in each entry", "an empty one");
            once(t, each);
          }
        });
    all.add(
        "a-new-volume-is-better-left-out",
        t -> {
          Volume volume = create(t);
          for (VolumeHealth each : listing(t, 0)) {
            if (each.getVolumeId().equals(volume.getVolumeId())
                && each.getHealthStatusesCount() == 0) {
              t.advise("A volume that is well is on the list of those that are not.");
            }
          }
        });
    all.ask(
        "an-invalid-token-is-better-aborted",
        t -> toListHealth(t, 0).setStartingToken("csi4j-invalid-token"));
    all.ask("a-negative-number-of-entries-is-better-refused", t -> toListHealth(t, -1));
  }

  private static List<VolumeHealth> listing(Trial t, int entries) {
    return ListPages.entries(t, toListHealth(t, entries)).stream()
        .map(VolumeHealth.class::cast)
        .toList();
  }

  private static void getCases(CaseSteps.Group all) {
    all.ask(
        "without-volume-id-is-better-refused", t -> toGetHealth(t, NO_SUCH_VOLUME).clearVolumeId());
    all.ask("an-unknown-volume-is-better-not-found", t -> toGetHealth(t, NO_SUCH_VOLUME));
    all.add(
        "tells-of-the-volume",
        t -> {
          Volume volume = volume(t);
          isOf(t, volume, health(t, volume));
        });
    all.add("every-fault-is-told-once", t -> once(t, health(t, volume(t))));
  }

  private static VolumeHealth health(Trial t, Volume volume) {
    return t.ok(toGetHealth(t, volume), ControllerGetVolumeHealthResponse.class).getVolumeHealth();
  }

  private static void nodeCases(CaseSteps.Group all) {
    all.ask(
        "health/without-volume-id-is-better-refused",
        t -> toGetHealthOnNode(NO_SUCH_VOLUME).clearVolumeId());
    all.ask("health/an-unknown-volume-is-better-not-found", t -> toGetHealthOnNode(NO_SUCH_VOLUME));
    all.ask(
        "health/a-volume-whose-staging-was-refused-is-better-told-of",
        t -> {
          Volume volume = volume(t);
          var staging = toStage(t, volume, attach(t, volume));
          // Refused for its request; what the plugin makes of it is the matter of other cases.
          t.call(staging.clearVolumeCapability());
          return toGetHealthOnNode(volume).setStagingTargetPath(staging.getStagingTargetPath());
        });
    all.add(
        "health/tells-of-the-volume",
        t -> {
          Volume volume = publishedVolume(t);
          isOf(t, volume, onNode(t, volume));
        });
    all.add("health/every-fault-is-told-once", t -> once(t, onNode(t, publishedVolume(t))));
    all.add(
        "storage-health/every-fault-is-told-once",
        t ->
            once(
                t,
                t.ok(toGetStorageHealth(t), NodeGetStorageHealthResponse.class)
                    .getBackendHealthList(),
                each ->
                    List.of(each.getVolumeCapability(), each.getStatusValue(), each.getReason())));
  }

  private static VolumeHealth onNode(Trial t, Volume volume) {
    var request = toGetHealthOnNode(volume).setVolumePublishPath(t.paths().target("target"));
    if (Need.STAGING.met(t)) {
      request.setStagingTargetPath(t.paths().staging("staging"));
    }
    return t.ok(request, NodeGetVolumeHealthResponse.class).getVolumeHealth();
  }

  private static void isOf(Trial t, Volume volume, VolumeHealth health) {
    t.checkSame("the health of volume ", volume.getVolumeId(), health.getVolumeId());
  }

  /** The pair of status and reason is unique in a volume. */
  private static void once(Trial t, VolumeHealth health) {
    once(
        t,
        health.getHealthStatusesList(),
        each -> List.of(each.getStatusValue(), each.getReason()));
  }

  private static <F> void once(Trial t, List<F> faults, Function<F, List<Object>> values) {
    Set<List<Object>> known = new HashSet<>();
    for (F each : faults) {
      List<Object> value = values.apply(each);
      t.check(
          known.add(value),
          "each status and reason once",
          SafeText.escape(value.toString()) + " twice");
    }
  }
}
