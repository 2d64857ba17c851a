package io.csi4j.volume.node;

import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.VolumeUse;
import java.time.Duration;
import java.util.List;

/**
 * The findings of a start, before anything was done about them.
 *
 * @param volumes how many volumes are on record
 * @param adopted the uses that are there as they were
 * @param inDoubt the uses that may be there or not
 * @param going the uses that were being given up
 * @param findings what an operator may want to know
 * @param elapsed how long it took
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
