package io.csi4j.volume.workload;

import io.csi4j.volume.model.OperatorMessage;
import java.util.List;

/**
 * The findings of a check.
 *
 * @param obstacles why the workload cannot have its volumes; each says what to do
 * @param remarks what may go wrong, or is worth to know
 * @since 1.0
 */
public record PreflightReport(List<OperatorMessage> obstacles, List<OperatorMessage> remarks) {

  /** Copies the lists. */
  public PreflightReport {
    obstacles = List.copyOf(obstacles);
    remarks = List.copyOf(remarks);
  }

  /** Whether nothing stands in the way, as far as it can be known before. */
  public boolean isClear() {
    return obstacles.isEmpty();
  }

  /**
   * Goes on if nothing stands in the way.
   *
   * @throws io.csi4j.volume.model.VolumeException with the first obstacle; the others are
   *     suppressed ones
   */
  public void orThrow() {
    if (!isClear()) {
      throw PreflightFindings.refusal(obstacles);
    }
  }

  /** All in lines for people, obstacles first; empty if there is nothing to say. */
  public String text() {
    StringBuilder lines = new StringBuilder();
    obstacles.forEach(each -> lines.append(each.line()).append('\n'));
    remarks.forEach(each -> lines.append(each.line()).append('\n'));
    return lines.toString();
  }
}
