/**
 * The stored form of every record of the volume manager: protobuf, read more strictly than protobuf
 * requires. Most records are read as protobuf messages: start at {@link
 * io.csi4j.volume.internal.fields.RecordBytes}. Records of the volumes on a node are read field by
 * field, which is faster: start at {@link io.csi4j.volume.internal.fields.FieldReader}. The module
 * that owns a record defines the meaning of its fields.
 */
@NullMarked
package io.csi4j.volume.internal.fields;

import org.jspecify.annotations.NullMarked;
