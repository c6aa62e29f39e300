; makensis /DVERSION=0.1.0 /DFOLDER=build\windows installer\windows\yardmaster.nsi
; For an engine of Windows, which there is not yet. FOLDER has what `cmake --install` puts there and windeployqt adds:
; bin\yardmaster.exe, bin\yardctl.exe, the module of the window, Qt. Installs for one user, without an administrator.
Unicode true
!include MUI2.nsh
!ifndef VERSION
  !error "say /DVERSION=..."
!endif
!define KEY "Software\Microsoft\Windows\CurrentVersion\Uninstall\Yardmaster"

Name "Yardmaster"
OutFile "yardmaster-${VERSION}-windows-x86_64.exe"
InstallDir "$LOCALAPPDATA\Programs\Yardmaster"
InstallDirRegKey HKCU "${KEY}" "InstallLocation"
RequestExecutionLevel user
SetCompressor /SOLID lzma
VIProductVersion "${VERSION}.0"
VIAddVersionKey ProductName "Yardmaster"
VIAddVersionKey FileVersion "${VERSION}"
VIAddVersionKey FileDescription "Control centre for compute work"
VIAddVersionKey LegalCopyright "GPL-3.0-or-later"

!insertmacro MUI_PAGE_LICENSE "${FOLDER}\LICENSE"
!insertmacro MUI_PAGE_COMPONENTS
!insertmacro MUI_PAGE_DIRECTORY
!insertmacro MUI_PAGE_INSTFILES
!insertmacro MUI_UNPAGE_CONFIRM
!insertmacro MUI_UNPAGE_INSTFILES
!insertmacro MUI_LANGUAGE "English"
!insertmacro MUI_LANGUAGE "German"

Section "Yardmaster" Main
  SectionIn RO
  ; What runs is asked to end; its actions go on with the next start.
  nsExec::Exec '"$INSTDIR\bin\yardctl.exe" session sunset'
  SetOutPath "$INSTDIR"
  File /r "${FOLDER}\*"
  CreateShortCut "$SMPROGRAMS\Yardmaster.lnk" "$INSTDIR\bin\yardmaster.exe"
  WriteUninstaller "$INSTDIR\uninstall.exe"
  WriteRegStr HKCU "${KEY}" "DisplayName" "Yardmaster"
  WriteRegStr HKCU "${KEY}" "DisplayVersion" "${VERSION}"
  WriteRegStr HKCU "${KEY}" "InstallLocation" "$INSTDIR"
  WriteRegStr HKCU "${KEY}" "UninstallString" '"$INSTDIR\uninstall.exe"'
SectionEnd

Section /o "Start at login" Login
  WriteRegStr HKCU "Software\Microsoft\Windows\CurrentVersion\Run" "Yardmaster" '"$INSTDIR\bin\yardmaster.exe"'
SectionEnd

; The results in %LOCALAPPDATA%\yardmaster stay.
Section "Uninstall"
  nsExec::Exec '"$INSTDIR\bin\yardctl.exe" session sunset'
  RMDir /r "$INSTDIR\bin"
  RMDir /r "$INSTDIR\lib"
  RMDir /r "$INSTDIR\share"
  Delete "$INSTDIR\LICENSE"
  Delete "$INSTDIR\uninstall.exe"
  RMDir "$INSTDIR"
  Delete "$SMPROGRAMS\Yardmaster.lnk"
  DeleteRegKey HKCU "${KEY}"
  DeleteRegValue HKCU "Software\Microsoft\Windows\CurrentVersion\Run" "Yardmaster"
SectionEnd
