-- Files that people put into a session; their bytes lie in uploads/ of its workspace. They go with the session.
CREATE TABLE "uploaded_files" (
    "id" TEXT NOT NULL,
    "session_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "size" BIGINT NOT NULL,
    "content_type" TEXT NOT NULL,
    "user_name" TEXT NOT NULL,
    "by_admin" BOOLEAN NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "uploaded_files_pkey" PRIMARY KEY ("id")
);

CREATE UNIQUE INDEX "uploaded_files_session_id_name_key" ON "uploaded_files"("session_id", "name");

ALTER TABLE "uploaded_files" ADD CONSTRAINT "uploaded_files_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "sessions"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Names of uploaded files; a constant default, so no row is written anew.
ALTER TABLE "messages" ADD COLUMN "attachments" TEXT[] NOT NULL DEFAULT '{}';
