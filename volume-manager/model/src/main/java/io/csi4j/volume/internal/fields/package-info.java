/**
 * The stored form of every record of the volume manager, which is that of protobuf, read strictly.
 * Most are messages: start at {@link io.csi4j.volume.internal.fields.RecordBytes}. The records of
 * the volumes on a node are read field by field, which is faster: start at {@link
 * io.csi4j.volume.internal.fields.FieldReader}. The meaning of the fields is defined by the module
 * that owns the record.
 */
@NullMarked
package io.csi4j.volume.internal.fields;

import org.jspecify.annotations.NullMarked;
