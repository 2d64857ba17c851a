package io.csi4j.conformance.internal.plugin;

import static io.csi4j.client.model.StatusCode.*;
import static io.csi4j.conformance.internal.plugin.LawfulRequests.*;
import static io.csi4j.conformance.internal.plugin.TestThings.*;

import io.csi4j.client.internal.proto.ControllerGetVolumeHealthRequest;
import io.csi4j.client.internal.proto.ControllerGetVolumeHealthResponse;
import io.csi4j.client.internal.proto.ControllerListVolumeHealthRequest;
import io.csi4j.client.internal.proto.NodeGetStorageHealthRequest;
import io.csi4j.client.internal.proto.NodeGetStorageHealthResponse;
import io.csi4j.client.internal.proto.NodeGetVolumeHealthRequest;
import io.csi4j.client.internal.proto.NodeGetVolumeHealthResponse;
import io.csi4j.client.internal.proto.Volume;
import io.csi4j.client.internal.proto.VolumeHealth;
import io.csi4j.client.internal.text.SafeText;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

/** Cases for the health of volumes and of the storage, as CSI 1.13 defines it. */
final class HealthCases {

  private HealthCases() {}

  static void addTo(CaseSteps all) {
    capabilityCases(all);
    listCases(all);
    getCases(all);
    nodeCases(all);
  }

  private static void capabilityCases(CaseSteps all) {
    all.add(
        "controller/capabilities/a-list-of-sick-volumes-brings-the-health-of-one",
        t -> {
          Reply reply =
              t.call(to(t, ControllerGetVolumeHealthRequest.newBuilder(), NO_SUCH_VOLUME));
          t.check(
              reply.code() != UNIMPLEMENTED, reply, "is served, as LIST_VOLUME_HEALTH brings it");
        });
  }

  private static void listCases(CaseSteps all) {
    all.add(
        "controller/list-health/pages-end-and-name-their-volumes",
        t -> {
          for (VolumeHealth each : listing(t, 1)) {
            t.check(!each.getVolumeId().isEmpty(), "a volume_id in each entry", "an empty one");
            once(t, each);
          }
        });
    all.add(
        "controller/list-health/a-new-volume-is-better-left-out",
        t -> {
          Volume volume = create(t);
          for (VolumeHealth each : listing(t, 0)) {
            if (each.getVolumeId().equals(volume.getVolumeId())
                && each.getHealthStatusesCount() == 0) {
              t.advise("A healthy volume is on the list of unhealthy ones.");
            }
          }
        });
  }

  private static List<VolumeHealth> listing(Trial t, int entries) {
    return ListPages.entries(
            t,
            to(t, ControllerListVolumeHealthRequest.newBuilder(), NOTHING).setMaxEntries(entries))
        .stream()
        .map(VolumeHealth.class::cast)
        .toList();
  }

  private static void getCases(CaseSteps all) {
    all.add(
        "controller/get-health/tells-of-the-volume",
        t -> {
          Volume volume = volume(t);
          isOf(t, volume, health(t, volume));
        });
    all.add("controller/get-health/every-fault-is-told-once", t -> once(t, health(t, volume(t))));
  }

  private static VolumeHealth health(Trial t, Volume volume) {
    return t.ok(
            to(t, ControllerGetVolumeHealthRequest.newBuilder(), volume),
            ControllerGetVolumeHealthResponse.class)
        .getVolumeHealth();
  }

  private static void nodeCases(CaseSteps all) {
    all.add(
        "node/health/a-volume-whose-staging-was-refused-is-better-told-of",
        t -> {
          Volume volume = attachedVolume(t);
          var staging = toStage(t, volume);
          // The plugin must refuse this request, but this case does not check the refusal: other
          // cases do.
          t.call(staging.clearVolumeCapability());
          var request = to(t, NodeGetVolumeHealthRequest.newBuilder(), volume);
          t.best(request.setStagingTargetPath(staging.getStagingTargetPath()), OK);
        });
    all.add(
        "node/health/tells-of-the-volume",
        t -> {
          Volume volume = publishedVolume(t);
          isOf(t, volume, onNode(t, volume));
        });
    all.add("node/health/every-fault-is-told-once", t -> once(t, onNode(t, publishedVolume(t))));
    all.add(
        "node/storage-health/every-fault-is-told-once",
        t ->
            once(
                t,
                t.ok(
                        to(t, NodeGetStorageHealthRequest.newBuilder(), NOTHING),
                        NodeGetStorageHealthResponse.class)
                    .getBackendHealthList(),
                each ->
                    List.of(each.getVolumeCapability(), each.getStatusValue(), each.getReason())));
  }

  private static VolumeHealth onNode(Trial t, Volume volume) {
    var request =
        to(t, NodeGetVolumeHealthRequest.newBuilder(), volume)
            .setVolumePublishPath(t.paths().target("target"));
    if (Need.STAGING.met(t)) {
      request.setStagingTargetPath(t.paths().staging("staging"));
    }
    return t.ok(request, NodeGetVolumeHealthResponse.class).getVolumeHealth();
  }

  private static void isOf(Trial t, Volume volume, VolumeHealth health) {
    t.checkSame("the health of volume ", volume.getVolumeId(), health.getVolumeId());
  }

  /** Checks that each pair of status and reason occurs only once in the health of a volume. */
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
