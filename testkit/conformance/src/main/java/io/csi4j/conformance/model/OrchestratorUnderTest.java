package io.csi4j.conformance.model;

import io.csi4j.client.model.VolumeContext;
import io.csi4j.client.model.VolumeId;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The adapter for an orchestrator on one node. The orchestrator's author implements this interface,
 * and the suite drives the orchestrator through it.
 *
 * <p>The suite calls {@link #mount} and {@link #unmount} on many threads concurrently. Any
 * exception means that the request failed. The suite then repeats the request, or gives up and
 * calls {@link #unmount}, as a workload runner does. An orchestrator may finish pending work in the
 * background.
 *
 * <p>The suite simulates a crash with {@link #close}, followed by {@link Factory#start} with the
 * same setting. All data in memory is lost, and the files in the directory remain.
 *
 * @since 1.0
 */
public interface OrchestratorUnderTest extends AutoCloseable {

  /**
   * Makes a volume usable for a workload, and returns its path. A repeated request for the same
   * volume and workload returns the same path.
   *
   * @throws Exception if the volume is not usable for the workload now
   */
  Path mount(MountOrder order) throws Exception;

  /**
   * Unmounts the volume from the workload, and ends the uses of the volume that no workload needs
   * any more. Succeeds if the volume was never mounted for the workload, or is already unmounted.
   * Undoes a failed mount of the volume for the workload.
   *
   * @throws Exception if work is still pending; the suite repeats the request
   */
  void unmount(VolumeId volume, ScenarioWorkload workload) throws Exception;

  /**
   * Publishes a mounted volume again for its workload, at the same path and with newly read
   * secrets. Plugins whose tokens expire need this call. The method is optional: the default
   * implementation does nothing. The workload keeps its volume even if the call fails.
   *
   * @throws Exception if the plugin refused the call
   */
  default void refresh(MountOrder order) throws Exception {}

  /**
   * Publishes an inline volume for a workload. The plugin creates an inline volume when the
   * orchestrator publishes it, and deletes the volume when the orchestrator unpublishes it. The
   * orchestrator chooses the id of the volume. A repeated request for the same name and workload
   * returns the same path. Support for inline volumes is optional: the default implementation does
   * not support them.
   *
   * @param volume the name of the volume in the job; many jobs may use the same name
   * @param attributes the attributes from which the plugin creates the volume
   * @return the path; empty if the orchestrator does not support inline volumes
   * @throws Exception if the volume is not usable for the workload now
   */
  default Optional<Path> mountInline(
      String volume, ScenarioWorkload workload, VolumeContext attributes) throws Exception {
    return Optional.empty();
  }

  /**
   * Unmounts an inline volume from its workload, which deletes the volume. The default
   * implementation unmounts the volume whose id is {@code volume}.
   *
   * @throws Exception if work is still pending; the suite repeats the request
   */
  default void unmountInline(String volume, ScenarioWorkload workload) throws Exception {
    unmount(VolumeId.of(volume), workload);
  }

  /**
   * Ends the orchestrator even if it is busy. All data in memory is lost, and nothing is cleaned
   * up. Requests in progress are lost: their threads may fail, or never return.
   */
  @Override
  void close();

  /** Starts orchestrators. */
  @FunctionalInterface
  interface Factory {

    /**
     * Starts an orchestrator. The plugin is already listening. After a crash, the setting is the
     * same, and its directory contains the files that the previous orchestrator wrote. The paths of
     * volumes must not change.
     *
     * @throws Exception if the orchestrator does not start
     */
    OrchestratorUnderTest start(OrchestratorSetting setting) throws Exception;
  }
}
