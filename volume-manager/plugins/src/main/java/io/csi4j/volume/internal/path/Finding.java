package io.csi4j.volume.internal.path;

import io.csi4j.mount.model.MountPath;
import io.csi4j.volume.model.OperatorCode;

/**
 * Something about a path that an operator should know of, and that is no obstacle.
 *
 * @param code the code for operators
 * @param path where
 * @param text what was seen and what to do: a clause
 */
public record Finding(OperatorCode code, MountPath path, String text) {}
