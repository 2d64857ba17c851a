package io.csi4j.testkit.internal.hostpath;

import java.nio.file.Path;

/**
 * Where the bytes of one volume or snapshot are.
 *
 * @param id of the volume or snapshot
 * @param medium what they are in
 * @param content the directory or file
 */
record StoredBytes(String id, Medium medium, Path content) {}
