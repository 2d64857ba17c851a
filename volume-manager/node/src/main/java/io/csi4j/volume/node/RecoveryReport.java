package io.csi4j.volume.node;

import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.VolumeUse;
import java.time.Duration;
import java.util.List;

/**
 * The findings of a manager's start, before the manager has acted on them.
 *
 * @param volumes the number of volumes on record
 * @param adopted the uses that are still mounted as recorded
 * @param inDoubt the uses that may or may not be mounted
 * @param going the uses whose release had begun
 * @param findings the findings that concern an operator
 * @param elapsed the duration of the recovery
 * @since 1.0
 */
public record RecoveryReport(
    int volumes,
    List<VolumeUse> adopted,
    List<VolumeUse> inDoubt,
    List<VolumeUse> going,
    List<OperatorMessage> findings,
    Duration elapsed) {

  /** Copies the lists. */
  public RecoveryReport {
    adopted = List.copyOf(adopted);
    inDoubt = List.copyOf(inDoubt);
    going = List.copyOf(going);
    findings = List.copyOf(findings);
  }
}
