package io.csi4j.conformance;

import io.csi4j.client.model.VolumeContext;
import io.csi4j.client.model.VolumeId;
import io.csi4j.conformance.model.MountOrder;
import io.csi4j.conformance.model.OrchestratorSetting;
import io.csi4j.conformance.model.OrchestratorUnderTest;
import io.csi4j.conformance.model.ScenarioWorkload;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** A small orchestrator: lawful, unless told otherwise. Its disk is a map that outlives a crash. */
final class ToyOrchestrator implements OrchestratorUnderTest {

  private final OrchestratorSetting setting;
  private final Set<Defect> defects;
  private final ConcurrentMap<VolumeId, ToyVolume> disk = new ConcurrentHashMap<>();
  private volatile ToyNode process;

  ToyOrchestrator(OrchestratorSetting setting, Defect... defects) {
    this.setting = setting;
    this.defects = EnumSet.noneOf(Defect.class);
    this.defects.addAll(Arrays.asList(defects));
    this.process = new ToyNode(setting, disk, this.defects);
  }

  static Factory with(Defect... defects) {
    return setting -> new ToyOrchestrator(setting, defects);
  }

  @Override
  public Path mount(MountOrder order) {
    return process.mount(order);
  }

  @Override
  public void unmount(VolumeId volume, ScenarioWorkload workload) {
    process.unmount(volume, workload);
  }

  @Override
  public void refresh(MountOrder order) {
    process.refresh(order);
  }

  @Override
  public Optional<Path> mountInline(
      String volume, ScenarioWorkload workload, VolumeContext attributes) {
    return Optional.of(process.mountInline(volume, workload, attributes));
  }

  @Override
  public void unmountInline(String volume, ScenarioWorkload workload) {
    process.unmountInline(volume, workload);
  }

  @Override
  public void restart() {
    process.close();
    if (defects.contains(Defect.FORGETS_AT_RESTART)) {
      disk.clear();
    }
    process = new ToyNode(setting, disk, defects);
  }

  @Override
  public void close() {
    process.close();
  }
}
