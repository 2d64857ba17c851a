package io.csi4j.conformance.model;

import io.csi4j.client.model.VolumeContext;
import io.csi4j.client.model.VolumeId;
import java.nio.file.Path;
import java.util.Optional;

/**
 * An orchestrator on one node, as far as the suite drives it: the adapter that its author writes.
 *
 * <p>The suite calls {@link #mount} and {@link #unmount} on many threads at a time. Any exception
 * means that it did not work out; the suite then asks again, or gives up by {@link #unmount}, as a
 * runner of workloads does. An orchestrator may go on in the background with what it owes.
 *
 * <p>A crash is {@link #close}, and then {@link Factory#start} with the same setting: everything in
 * memory is gone, and what was written to the directory is there.
 *
 * @since 1.0
 */
public interface OrchestratorUnderTest extends AutoCloseable {

  /**
   * Makes a volume usable for a workload, and says at which path. Asked again for the same pair, it
   * says the same.
   *
   * @throws Exception if the workload cannot have the volume now
   */
  Path mount(MountOrder order) throws Exception;

  /**
   * Takes the volume from the workload, and frees what is not used any more. A pair that was never
   * mounted, or is unmounted already, is no failure. A mount of the pair that failed is undone.
   *
   * @throws Exception if something is still owed; the suite asks again
   */
  void unmount(VolumeId volume, ScenarioWorkload workload) throws Exception;

  /**
   * Publishes a volume again for a workload that has it, at the same path, with secrets that are
   * asked for now, as is done for plugins whose tokens expire. Whether an orchestrator does so is
   * its choice: by default nothing is done. The workload keeps its volume in any case.
   *
   * @throws Exception if the plugin did not take it
   */
  default void refresh(MountOrder order) throws Exception {}

  /**
   * Publishes an inline volume for a workload: one that the plugin makes as it is published, and
   * that has no life before or after. Its id is the orchestrator's to make. Asked again for the
   * same pair, it says the same path. Whether an orchestrator knows inline volumes is its choice:
   * by default it does not.
   *
   * @param volume the name of the volume in the job, which many jobs may have
   * @param attributes what the plugin makes it of
   * @return where it is; nothing if the orchestrator knows no inline volumes
   * @throws Exception if the workload cannot have the volume now
   */
  default Optional<Path> mountInline(
      String volume, ScenarioWorkload workload, VolumeContext attributes) throws Exception {
    return Optional.empty();
  }

  /**
   * Takes an inline volume from its workload, which deletes it. By default it is unmounted as a
   * volume whose id is this name.
   *
   * @throws Exception if something is still owed; the suite asks again
   */
  default void unmountInline(String volume, ScenarioWorkload workload) throws Exception {
    unmount(VolumeId.of(volume), workload);
  }

  /**
   * Ends it, even at work: everything in memory is gone, and nothing is cleaned up. Calls that are
   * under way are lost: their threads may fail, or never return.
   */
  @Override
  void close();

  /** Starts orchestrators. */
  @FunctionalInterface
  interface Factory {

    /**
     * Starts one. The plugin listens already. After a crash the setting is the same, and its
     * directory has what the one before has written; the paths of volumes have to stay.
     *
     * @throws Exception if it does not start
     */
    OrchestratorUnderTest start(OrchestratorSetting setting) throws Exception;
  }
}
